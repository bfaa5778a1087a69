/** GET and POST /preferences/{token}: a person's own page. No key, no cookie, no redirect; the link is the proof. */
import { limits } from "../../platform/limits.ts";
import { checkMediaType } from "../guards/media-type.ts";
import type { HttpAnswer } from "../http/http-message.ts";
import { hostedPage } from "../render/preference-page.ts";
import { receiptHeaders } from "../routing/reply.ts";
import type { Deps, OpenCall } from "../routing/route.ts";

/** Mail scanners follow links: this shows, and changes nothing. */
export async function handlePreferencePage({ content }: Pick<Deps, "content">, call: OpenCall): Promise<HttpAnswer> {
  const { page } = await content.openPreferencePage(linkOf(call), { signal: call.request.hungUp });
  return hostedPage(page);
}

/** Durable when the answer goes out. */
export async function handlePreferenceSubmit({ content }: Pick<Deps, "content">, call: OpenCall): Promise<HttpAnswer> {
  const { request, readBody } = call;
  checkMediaType(request.headers, formTypes);
  const form = await readBody(limits.pageFormBytesMax);
  const { page, position } = await content.submitPreferencePage({ ...linkOf(call), form, wholeForm: request.query === "save" });
  const answer = hostedPage(page);
  return { ...answer, headers: [...answer.headers, ...receiptHeaders({ position, replayed: false })] };
}

const formTypes: ReadonlySet<string> = new Set(["application/x-www-form-urlencoded"]);

function linkOf({ request, params, traceparent }: OpenCall) {
  return { token: params.get("token") ?? "", requestId: request.requestId, traceparent };
}
