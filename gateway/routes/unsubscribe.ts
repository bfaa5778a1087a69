/** GET and POST /unsubscribe/{token}: one-click unsubscribe (RFC 8058). No key, no cookie, no redirect. */
import { limits } from "../../platform/limits.ts";
import { Refusal } from "../../platform/refusal.ts";
import type { OpenUnsubscribeLinkResponse } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { faultPage } from "../render/refusal-page.ts";
import { refusalAnswer } from "../render/refusal-rest.ts";
import { unsubscribedPage, unsubscribePage, unsubscribeRefusalPage } from "../render/unsubscribe-page.ts";
import type { HttpAnswer, HttpRequest } from "../http/http-message.ts";
import type { Deps, OpenCall } from "../routing/route.ts";

type RouteDeps = Pick<Deps, "messagingStatus" | "subscription">;

/** Mail scanners follow links: the page asks, and changes nothing. */
export async function handleUnsubscribePage(deps: RouteDeps, call: OpenCall): Promise<HttpAnswer> {
  const { hungUp } = call.request;
  const sent = linkOf(call);
  const link = await deps.messagingStatus.openUnsubscribeLink(sent, { signal: hungUp });
  return unsubscribePage(link.email, await groupNameOf(link, sent, deps));
}

/** Durable when the answer goes out. The body says `List-Unsubscribe=One-Click` and is not needed: the path is the proof. */
export async function handleUnsubscribe(deps: RouteDeps, call: OpenCall): Promise<HttpAnswer> {
  const { request, readBody } = call;
  await readBody(limits.unsubscribeBodyBytesMax);
  const sent = linkOf(call);
  const group = await groupNameOf(await deps.messagingStatus.openUnsubscribeLink(sent), sent, deps);
  await deps.messagingStatus.useUnsubscribeLink(sent);
  return wantsPage(request) ? unsubscribedPage(group) : { status: 200, headers: [], body: '{"message":"success"}' };
}

/** People who open the link in a browser get a page, programs what they get of all routes. */
export function unsubscribeRefusal(refusal: Refusal, request: Asking): HttpAnswer {
  return wantsPage(request) ? unsubscribeRefusalPage(refusal) : refusalAnswer(refusal, "rest");
}

/** The same of a fault. */
export function unsubscribeFault(fault: HttpAnswer, request: Asking): HttpAnswer {
  return wantsPage(request) ? faultPage(fault) : fault;
}

function wantsPage({ headers }: Asking): boolean {
  return headers.get("accept")?.includes("text/html") ?? false;
}

type Asking = Pick<HttpRequest, "headers">;

/**
 * Undefined: all email. Empty where the owner of the groups cannot be asked: an unsubscribe goes on without it. Refuses
 * INPUT_INVALID for a group that the workspace does not have, or that is archived and ignores changes.
 */
async function groupNameOf(
  { subscriptionGroupId, workspaceId }: OpenUnsubscribeLinkResponse,
  { requestId, traceparent }: ReturnType<typeof linkOf>,
  { subscription }: Pick<RouteDeps, "subscription">,
): Promise<string | undefined> {
  if (subscriptionGroupId === "") return undefined;
  // A messaging-status service of the build before does not say whose link it is
  if (workspaceId === "") return "";
  const found = await subscription.listGroups({ scope: { workspaceId, requestId, traceparent } }).catch(() => undefined);
  if (found === undefined) return "";
  const group = found.groups.find(({ id, archived }) => id === subscriptionGroupId && !archived);
  if (group === undefined) throw new Refusal("INPUT_INVALID", "Invalid subscription group ID");
  return group.name;
}

function linkOf({ request, params, traceparent }: OpenCall) {
  return { token: params.get("token") ?? "", requestId: request.requestId, traceparent };
}
