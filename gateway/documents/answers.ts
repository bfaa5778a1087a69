/** The port through which routes reach what the gateway serves about itself. */
import type { HttpAnswer, RequestHeaders } from "../http-message.ts";
import type { Route } from "../route.ts";

export interface Documents {
  /** 304 where the caller has this version. Undefined where there is no document of the name. */
  answer(name: string, headers: RequestHeaders): Promise<HttpAnswer | undefined>;
}

/** What makes them is loaded when the first one is asked for: a gateway starts sooner, and most never need it. */
export function documentsWhenAsked(routes: readonly Route[]): Documents {
  let documents: Documents | undefined;
  return {
    async answer(name, headers) {
      documents ??= (await import("./documents.ts")).openDocuments(routes);
      return await documents.answer(name, headers);
    },
  };
}
