/** The expected ways to say no: every reason of the system, and the one error class that carries a reason. */

/** Reason -> what it means. A reason is stable for ever; its text is not. Only the edges know what status a reason has. */
export const reasons = {
  // The request itself
  BODY_NOT_JSON: "The body is not valid JSON",
  BODY_TOO_LARGE: "The body is larger than the route takes",
  BODY_TOO_DEEP: "The JSON is nested too deep",
  BODY_TOO_WIDE: "An array or object of the JSON has too many entries",
  BODY_NOT_DECODED: "The body is not what its Content-Encoding says",
  BODY_KEY_REPEATED: "An object of the body has the same key twice",
  BODY_SHAPE_INVALID: "The body does not have the shape of the message that the route takes",
  BODY_NOT_UTF8: "The body is not valid UTF-8",
  CONTENT_TYPE_UNSUPPORTED: "The Content-Type is not application/json",
  REQUEST_MALFORMED: "The HTTP request itself is malformed",
  REQUEST_TIMEOUT: "The request did not arrive in time",
  HEADERS_TOO_LARGE: "The headers are too large or too many",
  EXPECTATION_FAILED: "The Expect header asks for something other than 100-continue",
  ROUTE_UNKNOWN: "No route has this path",
  METHOD_NOT_ALLOWED: "The route does not take this method",
  INPUT_INVALID: "A field of the request has a wrong type or value",
  BATCH_TOO_LARGE: "The request holds more objects than the route takes",
  NOTHING_VALID: "No object of the request is valid",
  FILTER_INVALID: "The filter cannot be read, or asks for something that cannot be asked for",
  PATH_INVALID: "The path of a patch operation cannot be read or names no attribute",
  TARGET_MISSING: "No value is where the patch operation points to",
  ATTRIBUTE_READ_ONLY: "The attribute cannot be changed by clients",
  TOO_MANY_RESULTS: "The query asks for more than is looked through at once",
  IDEMPOTENCY_KEY_INVALID: "The Idempotency-Key is not 1 to 255 printable ASCII characters",
  IDEMPOTENCY_KEY_REUSED: "The Idempotency-Key was used with another body",
  // The caller
  KEY_MISSING: "No API key was sent",
  KEY_INVALID: "The API key is unknown or revoked",
  KEY_IN_WRONG_PLACE: "The API key was sent in the URL",
  PERMISSION_MISSING: "The API key does not hold the permission of the route",
  FEATURE_NOT_ENABLED: "The workspace does not have this feature",
  ADDRESS_NOT_ALLOWED: "The API key may not be used from this address",
  ORIGIN_NOT_ALLOWED: "The SCIM token is bound to another X-Request-Origin",
  RATE_LIMITED: "The limit of the route is spent",
  CALLER_NOT_ALLOWED: "The calling part may not use this RPC",
  // What was asked for
  NOT_FOUND: "The thing asked for does not exist",
  POSITION_INVALID: "The position is not one that Heddle gave out",
  ALREADY_EXISTS: "The thing exists already",
  STATE_CONFLICT: "The thing is not in a state that allows this",
  VERSION_MISMATCH: "The thing has changed since the version that the request names",
  // The machinery
  LOG_FULL: "The intake log has no room; nothing was taken",
  LOG_UNAVAILABLE: "The intake log cannot be reached; nothing was taken",
  BEHIND: "More was sent for this workspace than can be applied as fast; nothing was taken",
  EPOCH_MISMATCH: "The log and the rows are not of one history, as one of them was lost or put back; nothing was taken",
  STORE_UNAVAILABLE: "The store cannot be reached",
  SERVICE_UNAVAILABLE: "A part that the request needs cannot be reached; nothing was done",
  PARTLY_DONE: "Some of what was asked for was done and some was not; asking again makes it whole",
  OUTCOME_UNKNOWN: "The write may or may not have happened; repeating it with the same key is safe",
  DEADLINE_EXCEEDED: "The answer did not come in time",
  OVERLOADED: "Too many requests are waiting",
  SHUTTING_DOWN: "The process is stopping",
  NOT_IMPLEMENTED: "This part does not answer this call",
} as const;

export type Reason = keyof typeof reasons;

/** An expected no. Anything else that is thrown is a fault, and callers learn nothing of it but an id. */
export class Refusal extends Error {
  readonly reason: Reason;
  /** Further facts for the edge: `errors` for the body, the others for headers. */
  readonly details: RefusalDetails;

  constructor(reason: Reason, message: string = reasons[reason], details: RefusalDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Refusal";
    this.reason = reason;
    this.details = details;
  }
}

export interface RefusalDetails {
  /** Per-object errors, shown to the client as they are. */
  readonly errors?: readonly unknown[];
  readonly retryAfterSeconds?: number;
  /** Where the body had another coding: those that it may have, for the header. */
  readonly acceptEncoding?: string;
  readonly cause?: unknown;
  /** False where a store or log did not say that it passes: the same would fail again. */
  readonly passes?: false;
}
