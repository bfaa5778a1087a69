/** Why readers of data do not get on, as /readyz says it to any client: no text of an error that may quote data. */
import { isPassing } from "./passing.ts";
import { UnknownVersion } from "../record-version.ts";
import { Refusal } from "../refusal.ts";

/** The texts of a store or a log that is away, and of a record of a newer build, are ours; of anything else the log has the words. */
export function troubleOf(error: unknown): string {
  return error instanceof UnknownVersion || (error instanceof Refusal && isPassing(error))
    ? error.message
    : "an unexpected error, see the log";
}
