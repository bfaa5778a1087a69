/** What the gateway serves about itself, loaded when the first of it is asked for: a gateway starts sooner, and most never need it. */
import type { Route } from "../routing/route.ts";
import type { Documents } from "../routing/documents.ts";

export function documentsWhenAsked(routes: readonly Route[]): Documents {
  let documents: Documents | undefined;
  return {
    async answer(name, headers) {
      documents ??= (await import("./documents.ts")).openDocuments(routes);
      return await documents.answer(name, headers);
    },
  };
}
