/** What a failed statement means: it certainly did not happen, its outcome is unknown, or it was never a valid one. */
import cassandra from "cassandra-driver";
import { Refusal } from "../refusal.ts";

export type Outcome = "notDone" | "unknown" | "fault";

/**
 * Judges one attempt. Only what is listed here certainly did not happen; everything else is unknown, because a
 * coordinator that did not answer may have passed the write on. Rests on a retry policy that never goes on after an
 * unknown attempt (driver.ts): otherwise the last error would hide an earlier one.
 */
export function outcomeOf(error: unknown): Outcome {
  if (error instanceof errors.ResponseError) return outcomes.get(error.code) ?? "unknown";
  if (error instanceof errors.NoHostAvailableError || error instanceof errors.BusyConnectionError) return "notDone";
  if (error instanceof errors.AuthenticationError) return "notDone";
  if (error instanceof errors.ArgumentError || error instanceof errors.NotSupportedError) return "fault";
  if (error instanceof TypeError || error instanceof RangeError) return "fault";
  return isUnwritten(error) ? "notDone" : "unknown";
}

/** The error that the caller gets; a fault stays what it is. What does not pass is so for callers too, who know no better than to repeat it. */
export function refusalOf(error: unknown, kind: "read" | "write"): unknown {
  if (error instanceof Refusal) return error;
  const outcome = outcomeOf(error);
  if (outcome === "fault") return error;
  const details = { retryAfterSeconds: 1, cause: error, ...(!passes(error) && { passes: false as const }) };
  if (kind === "write" && outcome === "unknown") return new Refusal("OUTCOME_UNKNOWN", undefined, details);
  return new Refusal("STORE_UNAVAILABLE", lackOf(error), details);
}

/** Whether a failed read may be one of too much at once, which fewer rows would not be: where it certainly was not done it is not. */
export function mayBeTooMuch(error: unknown): boolean {
  return error instanceof Refusal && error.reason === "STORE_UNAVAILABLE" && outcomeOf(error.cause) === "unknown";
}

/** Where Cassandra answers, and not as many nodes as rows have to be on: copies and nodes are an operator's to mend. */
function lackOf(error: unknown): string | undefined {
  if (!(error instanceof errors.ResponseError) || error.code !== codes.unavailableException) return undefined;
  const { required, alive } = error as { required?: number; alive?: number };
  return `The store has too few nodes for the copies of its rows: ${required} are needed, ${alive} answer`;
}

const { errors, types: { responseErrorCodes: codes } } = cassandra;

const outcomes: ReadonlyMap<number, Outcome> = new Map<number, Outcome>([
  [codes.badCredentials, "notDone"],
  [codes.unavailableException, "notDone"],
  [codes.overloaded, "notDone"],
  [codes.isBootstrapping, "notDone"],
  [codes.protocolError, "fault"],
  [codes.syntaxError, "fault"],
  [codes.unauthorized, "fault"],
  [codes.invalid, "fault"],
  [codes.configError, "fault"],
  [codes.alreadyExists, "fault"],
  [codes.functionFailure, "fault"],
]);

/**
 * What a node or the way to it reports of itself. A server error is none of them: so a node says that a mutation is larger
 * than it takes.
 */
function passes(error: unknown): boolean {
  if (error instanceof errors.ResponseError) return passingCodes.has(error.code);
  if (passingErrors.some((kind) => error instanceof kind)) return true;
  return isUnwritten(error) || isOfSocket(error);
}

const passingCodes: ReadonlySet<number> = new Set([
  codes.badCredentials,
  codes.unavailableException,
  codes.overloaded,
  codes.isBootstrapping,
  codes.truncateError,
  codes.writeTimeout,
  codes.writeFailure,
  codes.readTimeout,
  codes.readFailure,
]);

const passingErrors = [
  errors.NoHostAvailableError,
  errors.BusyConnectionError,
  errors.AuthenticationError,
  errors.OperationTimedOutError,
] as const;

/** Of the driver, or of Node with its code. */
function isOfSocket(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ("isSocketError" in error && error.isSocketError === true) return true;
  if ("code" in error && typeof error.code === "string" && /^E[A-Z_]+$/.test(error.code)) return true;
  return error.constructor === errors.DriverError;
}

/** The driver marks a socket error that came before anything was sent. */
function isUnwritten(error: unknown): boolean {
  return typeof error === "object" && error !== null && "requestNotWritten" in error && error.requestNotWritten === true;
}
