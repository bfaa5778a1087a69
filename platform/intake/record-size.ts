/** What one accepted request may take as a record of the intake log: the process that carries it out has to hold all of it, and its effects, at once, and others of its order wait meanwhile. */
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { IntakeBody } from "./record-bytes.ts";

/** The record as it is. Refuses BODY_TOO_LARGE. */
export function checkedRecord(record: Uint8Array): Uint8Array {
  if (record.byteLength <= limits.intakeRecordBytesMax) return record;
  const text = `The request must be at most ${limits.intakeRecordBytesMax} bytes as it is stored, it has ${record.byteLength}: ` +
    "send its objects in several requests";
  throw new Refusal("BODY_TOO_LARGE", text);
}

/** Refuses BATCH_TOO_LARGE for more elements, those of all lists together, than any request over HTTP may have. */
export function checkElements({ value }: IntakeBody): void {
  const elements = elementsIn(value);
  if (elements <= limits.requestElementsMax) return;
  throw new Refusal(
    "BATCH_TOO_LARGE",
    `Expected at most ${limits.requestElementsMax} elements, got ${elements}: send them in several requests`,
  );
}

function elementsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, element) => sum + elementsIn(element), value.length);
  if (typeof value !== "object" || value === null || ArrayBuffer.isView(value)) return 0;
  return Object.values(value).reduce((sum: number, field) => sum + elementsIn(field), 0);
}
