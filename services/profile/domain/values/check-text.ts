/** Short readings of one JSON value that many fields share: texts of limited length, whole numbers as text, flags. */
import { hasAtMostChars } from "../../../../platform/text.ts";
import { Verdict } from "./check-verdict.ts";
import type { RawObject } from "./check-json.ts";

/** A text of 1 to `charsMax` characters, or the verdict that names the field. */
export function checkName(field: string, value: unknown, charsMax: number): string {
  if (value === undefined || value === null) throw new Verdict(`'${field}' is required`);
  if (typeof value !== "string" || value === "" || !hasAtMostChars(value, charsMax)) {
    throw new Verdict(`'${field}' must be a string of 1 to ${charsMax} characters`);
  }
  return value;
}

/** A text of any length up to `charsMax` characters, or the verdict that names the field. */
export function checkText(field: string, value: unknown, charsMax: number): string {
  if (typeof value !== "string" || !hasAtMostChars(value, charsMax)) {
    throw new Verdict(`'${field}' must be a string of at most ${charsMax} characters`);
  }
  return value;
}

/** A control key: absent or null is undefined, everything else but a boolean is a verdict. */
export function checkFlag(raw: RawObject, field: string): boolean | undefined {
  const value = raw[field];
  if (value === undefined || value === null) return undefined;
  if (typeof value === "boolean") return value;
  throw new Verdict(`'${field}' must be true or false`);
}

/** What a time must be, behind what it is not: the form that clients in doubt should send. */
export const timeForm = "send a string in ISO 8601, such as '2024-01-31T12:00:00Z'";

/** Ids that clients send as numbers are taken as text, while the number is still exactly what was sent. */
export function idText(value: unknown): unknown {
  return typeof value === "number" && Number.isSafeInteger(value) ? String(value) : value;
}
