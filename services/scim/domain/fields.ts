/** JSON values with their shape known: objects that are read by names written in the code, or through lists of their entries. */
import { type Fields, isFields } from "../../../platform/fields.ts";

/** The value of an own member; a name of Object.prototype finds nothing. */
export function member(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** What `pr` asks for (RFC 7644 section 3.4.2.2): something that is not empty. */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.some(isPresent);
  return isFields(value) ? Object.values(value).some(isPresent) : true;
}
