/** Every reason as a status and a JSON body: the only table of HTTP statuses for refusals. */
import { limits } from "../../platform/limits.ts";
import { type Reason, reasons, Refusal } from "../../platform/refusal.ts";
import type { HttpAnswer } from "../http/http-message.ts";

/**
 * `track`: a fatal error of /users/track also carries its text in `errors` (specification, "POST /users/track"), but for 401, whose
 * recorded body has `message` alone (api-facts 1.2).
 * `translations`: every error does, as `{message}` (specification, "Errors"; api-facts 1.2).
 */
export type Dialect = "rest" | "track" | "translations";

export interface RefusalRow {
  readonly status: number;
  /** What clients know word for word; without one the refusal's own text is shown. */
  readonly text?: string;
  /** Bad JSON carries its text under `error` too: part of the clients looks only there. */
  readonly jsonError?: true;
  /** The connection is not used again. */
  readonly close?: true;
  /** Trying again later may help. */
  readonly retry?: true;
  /** Between parts; a client has no share in it and is answered as for a fault. */
  readonly fault?: true;
}

const badJson = "Error while parsing request body. Please check your syntax.";

export const refusalTable = {
  BODY_NOT_JSON: { status: 400, text: badJson, jsonError: true },
  BODY_SHAPE_INVALID: { status: 400 },
  BODY_NOT_UTF8: { status: 400, jsonError: true },
  BODY_TOO_DEEP: { status: 400, jsonError: true },
  BODY_TOO_WIDE: { status: 400, jsonError: true },
  BODY_NOT_DECODED: { status: 400 },
  BODY_KEY_REPEATED: { status: 400, jsonError: true },
  BODY_TOO_LARGE: { status: 413, close: true },
  CONTENT_TYPE_UNSUPPORTED: { status: 415 },
  REQUEST_MALFORMED: { status: 400, close: true },
  REQUEST_TIMEOUT: { status: 408, close: true },
  HEADERS_TOO_LARGE: { status: 431, close: true },
  EXPECTATION_FAILED: { status: 417, close: true },
  ROUTE_UNKNOWN: { status: 404 },
  METHOD_NOT_ALLOWED: { status: 405 },
  INPUT_INVALID: { status: 400 },
  BATCH_TOO_LARGE: { status: 400 },
  NOTHING_VALID: { status: 400 },
  FILTER_INVALID: { status: 400 },
  PATH_INVALID: { status: 400 },
  TARGET_MISSING: { status: 400 },
  ATTRIBUTE_READ_ONLY: { status: 400 },
  TOO_MANY_RESULTS: { status: 400 },
  IDEMPOTENCY_KEY_INVALID: { status: 400 },
  IDEMPOTENCY_KEY_REUSED: { status: 422 },
  KEY_MISSING: { status: 401 },
  KEY_INVALID: { status: 401, text: "Invalid API key" },
  KEY_IN_WRONG_PLACE: { status: 401 },
  PERMISSION_MISSING: { status: 403 },
  FEATURE_NOT_ENABLED: { status: 403 },
  ADDRESS_NOT_ALLOWED: { status: 403 },
  CALLER_NOT_ALLOWED: { status: 500, fault: true },
  ORIGIN_NOT_ALLOWED: { status: 403 },
  RATE_LIMITED: { status: 429, text: "You have exceeded the maximum number of requests. Please try again later." },
  NOT_FOUND: { status: 404 },
  POSITION_INVALID: { status: 400 },
  ALREADY_EXISTS: { status: 409 },
  STATE_CONFLICT: { status: 409 },
  VERSION_MISMATCH: { status: 412 },
  LOG_FULL: { status: 503, retry: true },
  LOG_UNAVAILABLE: { status: 503, retry: true },
  BEHIND: { status: 503, retry: true },
  EPOCH_MISMATCH: { status: 503, retry: true },
  STORE_UNAVAILABLE: { status: 503, retry: true },
  SERVICE_UNAVAILABLE: { status: 503, retry: true },
  PARTLY_DONE: { status: 503, retry: true },
  OUTCOME_UNKNOWN: { status: 503, retry: true },
  DEADLINE_EXCEEDED: { status: 503, retry: true },
  OVERLOADED: { status: 503, retry: true },
  SHUTTING_DOWN: { status: 503, retry: true, close: true },
  NOT_IMPLEMENTED: { status: 501 },
} as const satisfies Record<Reason, RefusalRow>;

/**
 * The answer to a refusal: `message`, `errors` where there are details, and the reason in a header of its own, so that
 * programs need not read the text. `headers` are added as they are.
 */
export function refusalAnswer(refusal: Refusal, dialect: Dialect, headers: readonly string[] = []): HttpAnswer {
  const row: RefusalRow = refusalTable[refusal.reason];
  const message = row.text ?? refusal.message;
  const errors = errorsOf({ refusal, row, dialect, message });
  const { acceptEncoding } = refusal.details;
  const retryAfter = refusal.details.retryAfterSeconds ?? (row.retry ? limits.overloadRetryAfterSeconds : undefined);
  return {
    status: row.status,
    headers: [
      "X-Heddle-Reason",
      refusal.reason,
      ...(row.status === unauthorized ? ["WWW-Authenticate", "Bearer"] : []),
      ...(retryAfter === undefined ? [] : ["Retry-After", String(retryAfter)]),
      ...(acceptEncoding === undefined ? [] : ["Accept-Encoding", acceptEncoding]),
      ...headers,
    ],
    body: JSON.stringify({ message, ...(row.jsonError ? { error: badJson } : {}), ...(errors ? { errors } : {}) }),
    ...(row.close ? { close: true } : {}),
  };
}

/** Whether the client gets the refusal; anything else is logged, and answered by faultAnswer. */
export function isForCaller(error: unknown): error is Refusal {
  return error instanceof Refusal && !("fault" in refusalTable[error.reason]);
}

/** The answer to a fault: nothing of the error but the id under which it was logged. */
export function faultAnswer(requestId: string, headers: readonly string[] = [], dialect: Dialect = "rest"): HttpAnswer {
  const message = "Internal server error";
  const errors = textsOf[dialect](message);
  return { status: 500, headers, body: JSON.stringify({ message, request_id: requestId, ...(errors ? { errors } : {}) }) };
}

export const faultFrom = 500;

/** Why it was refused; empty for a success. */
export function reasonOf({ headers, status }: HttpAnswer): string {
  if (headers[0] === "X-Heddle-Reason") return headers[1] ?? "";
  return status >= faultFrom ? "FAULT" : "";
}

const unauthorized = 401;

/** What stands in `errors` of an error without details. */
const textsOf: Readonly<Record<Dialect, (message: string) => readonly unknown[] | undefined>> = {
  rest: () => undefined,
  track: (message) => [message],
  translations: (message) => [{ message }],
};

function errorsOf(case_: { refusal: Refusal; row: RefusalRow; dialect: Dialect; message: string }): readonly unknown[] | undefined {
  const { refusal, row, dialect, message } = case_;
  if (refusal.details.errors?.length) return refusal.details.errors;
  if (dialect === "translations") return textsOf.translations(message);
  // The exact text is fixed for clients; what is wrong with this body is worth saying beside it
  const isDetailed = row.jsonError && row.text !== undefined && refusal.message !== reasons[refusal.reason];
  const details = isDetailed ? [refusal.message] : [];
  if (dialect === "track" && row.status !== unauthorized) return [message, ...details];
  return isDetailed ? details : undefined;
}
