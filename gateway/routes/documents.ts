/** GET /openapi.json and the pages below /docs: what the gateway says of itself. No key is needed. */
import { Refusal } from "../../platform/refusal.ts";
import type { HttpAnswer } from "../http-message.ts";
import type { OpenCall, Parts } from "../route.ts";

type Documented = Pick<Parts, "documents">;

export function handleOpenapi({ documents }: Documented, { request }: OpenCall): Promise<HttpAnswer> {
  return documentNamed(documents, "openapi.json", request.headers);
}

export function handleDocs({ documents }: Documented, { request }: OpenCall): Promise<HttpAnswer> {
  return documentNamed(documents, "docs", request.headers);
}

export function handleDocsErrors({ documents }: Documented, { request }: OpenCall): Promise<HttpAnswer> {
  return documentNamed(documents, "docs/errors", request.headers);
}

/** A guide, the list of all calls, or where they can be tried. */
export function handleDocsPage({ documents }: Documented, { request, params }: OpenCall): Promise<HttpAnswer> {
  return documentNamed(documents, `docs/${params.get("page") ?? ""}`, request.headers);
}

export function handleDocsCall({ documents }: Documented, { request, params }: OpenCall): Promise<HttpAnswer> {
  return documentNamed(documents, `docs/calls/${params.get("operation") ?? ""}`, request.headers);
}

/** Scripts and styles of the pages, by their names. */
export function handleDocsAsset({ documents }: Documented, { request, params }: OpenCall): Promise<HttpAnswer> {
  return documentNamed(documents, `docs/assets/${params.get("name") ?? ""}`, request.headers);
}

async function documentNamed(
  documents: Parts["documents"],
  name: string,
  headers: OpenCall["request"]["headers"],
): Promise<HttpAnswer> {
  const answer = await documents.answer(name, headers);
  if (!answer) throw new Refusal("ROUTE_UNKNOWN");
  return answer;
}
