/**
 * Which errors pass by themselves: those that a store or a log reports of itself. They are tried again for as long as they
 * last; and that a record is of a newer build, which lasts until such a build reads it. Anything else that is thrown comes from what was asked for, would come again, and is held against the record.
 */
import { UnknownVersion } from "../record-version.ts";
import { type Reason, Refusal } from "../refusal.ts";
import { isStoreFault } from "../sqlite/faults.ts";

/** Each driver turns what it knows to pass into one of these reasons, by a closed list; of anything else it says `passes: false`. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnknownVersion) return true;
  if (error instanceof Refusal) return passing.has(error.reason) && error.details.passes !== false;
  return isStoreFault(error);
}

/** Whether whatever else is done now would meet it as well: what a newer build wrote holds up only what needs it. */
export function isMetByAll(error: unknown): boolean {
  return isPassing(error) && !(error instanceof UnknownVersion);
}

const passing: ReadonlySet<Reason> = new Set([
  "STORE_UNAVAILABLE",
  "LOG_UNAVAILABLE",
  "LOG_FULL",
  "EPOCH_MISMATCH",
  "OUTCOME_UNKNOWN",
  "OVERLOADED",
  "SHUTTING_DOWN",
]);
