/** What one accepted request may take as a record of the intake log. */
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";

/** The record as it is. Refuses BODY_TOO_LARGE: the process that carries it out has to hold all of it, and its effects, at once. */
export function checkedRecord(record: Uint8Array): Uint8Array {
  if (record.byteLength <= limits.intakeRecordBytesMax) return record;
  const text = `The request must be at most ${limits.intakeRecordBytesMax} bytes as it is stored, it has ${record.byteLength}: ` +
    "send its objects in several requests";
  throw new Refusal("BODY_TOO_LARGE", text);
}
