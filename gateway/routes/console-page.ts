/** GET /console and its script and style. */
import { Refusal } from "../../platform/refusal.ts";
import type { HttpAnswer } from "../http-message.ts";
import type { OpenCall, Parts } from "../route.ts";

export async function handleConsole({ documents }: Pick<Parts, "documents">, { request }: OpenCall): Promise<HttpAnswer> {
  return found(await documents.answer("console", request.headers));
}

/** In which the console shows drafts of pages. */
export async function handleConsolePreview({ documents }: Pick<Parts, "documents">, { request }: OpenCall): Promise<HttpAnswer> {
  return found(await documents.answer("console/preview", request.headers));
}

export async function handleConsoleAsset({ documents }: Pick<Parts, "documents">, { request, params }: OpenCall): Promise<HttpAnswer> {
  return found(await documents.answer(`console/assets/${params.get("name") ?? ""}`, request.headers));
}

function found(answer: HttpAnswer | undefined): HttpAnswer {
  if (!answer) throw new Refusal("ROUTE_UNKNOWN");
  return answer;
}
