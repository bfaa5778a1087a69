/** The ways in which a call ends without a success: Heddle refused it, a class for each kind of refusal, or no answer came. */
import type { ObjectError, Reason } from "./gen/calls.ts";

/** Of everything that a call may throw but the reason of its own signal. */
export class HeddleError extends Error {
  override readonly name: string = "HeddleError";
}

/** Heddle answered with a refusal. Programs look at the class and `reason`, people read `message`. */
export class RefusedError extends HeddleError {
  override readonly name: string = "RefusedError";
  readonly status: number;
  /** Of X-Heddle-Reason; see docs/errors.md. Undefined where something else answered, a proxy perhaps. */
  readonly reason: Reason | undefined;
  /** Details: objects that were not taken, or texts. */
  readonly errors: readonly unknown[];
  /** Those of `errors` that name an object of the request by its array and place. */
  readonly entries: readonly ObjectError[];
  readonly requestId: string | undefined;
  /** The whole body, parsed where it is JSON. */
  readonly body: unknown;
  /** Milliseconds after which another try makes sense, where the answer says so. */
  readonly retryAfterMs: number | undefined;
  /** It is not known whether this attempt (500 and above) or, where this answer is to a repeat, an earlier one was done: only the same request tells. */
  mayBeDone = false;

  constructor(refused: Refused) {
    super(refused.message);
    this.status = refused.status;
    this.reason = refused.reason as Reason | undefined;
    this.errors = refused.errors;
    this.entries = refused.errors.filter(isEntry);
    this.requestId = refused.requestId;
    this.body = refused.body;
    this.retryAfterMs = refused.retryAfterMs;
  }
}

/** 400 and every other status from 402 to 499 without a class of its own: the request is wrong, and is refused again unless it changes; of these 408 may be sent again. */
export class InvalidRequestError extends RefusedError {
  override readonly name: string = "InvalidRequestError";
}

/** 401: the key is missing or not known. */
export class AuthenticationError extends RefusedError {
  override readonly name: string = "AuthenticationError";
}

/** 403: the key is known and may not do this. */
export class PermissionError extends RefusedError {
  override readonly name: string = "PermissionError";
}

/** 404: there is no such thing, or no such route. */
export class NotFoundError extends RefusedError {
  override readonly name: string = "NotFoundError";
}

/** 409, 412: the state of things does not allow it. */
export class ConflictError extends RefusedError {
  override readonly name: string = "ConflictError";
}

/** 429: a limit is spent; the client waited and tried again until its deadline was over. */
export class RateLimitError extends RefusedError {
  override readonly name: string = "RateLimitError";
}

/** 500 and above: the server could not; the client tried again until its deadline was over, but for 501. */
export class ServerError extends RefusedError {
  override readonly name: string = "ServerError";
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

/** The error of the class that the status has. */
export function refusedError(refused: Refused): RefusedError {
  const known = byStatus.get(refused.status);
  if (known) return new known(refused);
  if (refused.status >= serverErrors) return new ServerError(refused);
  return refused.status >= clientErrors ? new InvalidRequestError(refused) : new RefusedError(refused);
}

const clientErrors = 400;
const serverErrors = 500;
const byStatus: ReadonlyMap<number, new (refused: Refused) => RefusedError> = new Map([
  [401, AuthenticationError],
  [403, PermissionError],
  [404, NotFoundError],
  [409, ConflictError],
  [412, ConflictError],
  [429, RateLimitError],
]);

function isEntry(error: unknown): error is ObjectError {
  return typeof error === "object" && error !== null && "input_array" in error && "index" in error;
}

/** No answer came: the connection failed, or the time for an attempt was over. A write may or may not have happened. */
export class UnreachableError extends HeddleError {
  override readonly name: string = "UnreachableError";
  readonly url: string;

  constructor(url: string, cause: unknown) {
    super(`${url} does not answer (${causeText(cause)})`, { cause });
    this.url = url;
  }
}

/** The server was reached, perhaps, and did not answer in the time that an attempt has. */
export class TimeoutError extends UnreachableError {
  override readonly name: string = "TimeoutError";
}

function causeText(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return ("code" in cause && typeof cause.code === "string" ? cause.code : "") || cause.message;
}
