/** What a failed statement means: it certainly did not happen, nobody knows, or it was never a valid one. */
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

/** What the caller is told; a fault stays what it is. */
export function refusalOf(error: unknown, kind: "read" | "write"): unknown {
  if (error instanceof Refusal) return error;
  const outcome = outcomeOf(error);
  if (outcome === "fault") return error;
  const details = { retryAfterSeconds: 1, cause: error };
  if (kind === "write" && outcome === "unknown") return new Refusal("OUTCOME_UNKNOWN", undefined, details);
  return new Refusal("STORE_UNAVAILABLE", undefined, details);
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

/** The driver marks a socket error that came before anything was sent. */
function isUnwritten(error: unknown): boolean {
  return typeof error === "object" && error !== null && "requestNotWritten" in error && error.requestNotWritten === true;
}
