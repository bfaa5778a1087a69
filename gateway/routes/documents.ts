/** What the gateway says of itself: OpenAPI, the pages below /docs, the console and what they load. No key is needed. */
import { Refusal } from "../../platform/refusal.ts";
import type { Route } from "../routing/route.ts";

/** The row of a document, whose name is the path with the values of its parameters. */
export function documentAt(path: string): Route {
  return {
    guard: "open",
    method: "GET",
    path,
    async handler({ documents }, { request, params }) {
      const name = path.slice(1).replaceAll(/:(\w+)/g, (_, parameter: string) => params.get(parameter) ?? "");
      const answer = await documents.answer(name, request.headers);
      if (!answer) throw new Refusal("ROUTE_UNKNOWN");
      return answer;
    },
  };
}
