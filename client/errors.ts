/** The two ways in which a call ends without a success: Heddle said no, or nobody answered. */

/** Heddle answered, and the answer is no. Programs look at `reason`, people read `message`. */
export class RefusedError extends Error {
  override readonly name = "RefusedError";
  readonly status: number;
  /** Of X-Heddle-Reason; see docs/errors.md. Undefined where something else answered, a proxy perhaps. */
  readonly reason: string | undefined;
  /** Details: objects that were not taken, or texts. */
  readonly errors: readonly unknown[];
  readonly requestId: string | undefined;
  /** The whole body, parsed where it is JSON. */
  readonly body: unknown;
  /** Milliseconds after which another try makes sense, where the answer says so. */
  readonly retryAfterMs: number | undefined;

  constructor(refused: Refused) {
    super(refused.message);
    this.status = refused.status;
    this.reason = refused.reason;
    this.errors = refused.errors;
    this.requestId = refused.requestId;
    this.body = refused.body;
    this.retryAfterMs = refused.retryAfterMs;
  }
}

export interface Refused {
  readonly message: string;
  readonly status: number;
  readonly reason: string | undefined;
  readonly errors: readonly unknown[];
  readonly requestId: string | undefined;
  readonly body: unknown;
  readonly retryAfterMs: number | undefined;
}

/** No answer came: the connection failed, or the time for an attempt was over. A write may or may not have happened. */
export class UnreachableError extends Error {
  override readonly name = "UnreachableError";
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`${url} does not answer (${causeText(cause)})`, { cause });
    this.url = url;
  }
}

function causeText(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return ("code" in cause && typeof cause.code === "string" ? cause.code : "") || cause.message;
}
