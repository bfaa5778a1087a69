/** GET and POST /unsubscribe/{token}: one-click unsubscribe (RFC 8058). No key, no cookie, no redirect. */
import { limits } from "../../platform/limits.ts";
import { unsubscribedPage, unsubscribePage } from "../render/unsubscribe-page.ts";
import type { HttpAnswer } from "../http-message.ts";
import type { OpenCall, Parts } from "../route.ts";

/** Mail scanners follow links: the page asks, and changes nothing. */
export async function handleUnsubscribePage(
  { messagingStatus }: Pick<Parts, "messagingStatus">,
  call: OpenCall,
): Promise<HttpAnswer> {
  const { email } = await messagingStatus.openUnsubscribeLink(linkOf(call), { signal: call.request.hungUp });
  return unsubscribePage(email);
}

/** Durable when the answer goes out. The body says `List-Unsubscribe=One-Click` and is not needed: the path is the proof. */
export async function handleUnsubscribe({ messagingStatus }: Pick<Parts, "messagingStatus">, call: OpenCall): Promise<HttpAnswer> {
  const { request, readBody } = call;
  await readBody(limits.unsubscribeBodyBytesMax);
  await messagingStatus.useUnsubscribeLink(linkOf(call));
  const wantsPage = request.headers.get("accept")?.includes("text/html") ?? false;
  return wantsPage ? unsubscribedPage() : { status: 200, headers: [], body: '{"message":"success"}' };
}

function linkOf({ request, params, traceparent }: OpenCall) {
  return { token: params.get("token") ?? "", requestId: request.requestId, traceparent };
}
