/** The port through which routes reach what the gateway serves about itself. */
import type { HttpAnswer, RequestHeaders } from "../http/http-message.ts";

export interface Documents {
  /** 304 where the caller has this version. Undefined where there is no document of the name. */
  answer(name: string, headers: RequestHeaders): Promise<HttpAnswer | undefined>;
}
