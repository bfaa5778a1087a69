/** Values as filters compare them: texts without case where case does not matter, times as numbers. */
import { lowerAscii } from "../../../platform/address.ts";
import type { Operator } from "./filter.ts";
import type { Attribute } from "./schema.ts";
import { comparedUserName } from "./user-name.ts";

/** The same for what a filter says and for what a user has. `eq` and `ne` on userName follow its rule of uniqueness. */
export function comparedText(attribute: Attribute, operator: Operator, text: string): string {
  if (attribute.caseExact || attribute.type === "reference") return text;
  return attribute.isUserName && (operator === "eq" || operator === "ne") ? comparedUserName(text) : lowerAscii(text);
}

/** Unix milliseconds of an RFC 3339 time with its zone; undefined for anything else. */
export function timeOf(text: string): number | undefined {
  const at = dateTime.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/i;
