/** JSON values with their shape known: objects that are read by names written in the code, or through lists of their entries. */

import { lowerAscii } from "./address.ts";
import { Refusal } from "./refusal.ts";

/** A JSON object. A name that clients choose may be one of Object.prototype: it is read by `member` alone. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value of an own member; a name of Object.prototype finds nothing. */
export function member(fields: object, name: string): unknown {
  return Object.hasOwn(fields, name) ? Reflect.get(fields, name) : undefined;
}

export function asList(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

/** Something that is not empty, as SCIM means it by `pr` (RFC 7644 section 3.4.2.2). */
export function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (Array.isArray(value)) return value.some(isPresent);
  return isFields(value) ? Object.values(value).some(isPresent) : true;
}

/** Of a SCIM message, in any case. Refuses BODY_SHAPE_INVALID unless `schemas` names the schema. */
export function checkSchemas(body: Fields, schema: string): void {
  const named = Object.entries(body).find(([name]) => lowerAscii(name) === "schemas")?.[1];
  const wanted = lowerAscii(schema);
  if (Array.isArray(named) && named.some((each) => typeof each === "string" && lowerAscii(each) === wanted)) return;
  throw new Refusal("BODY_SHAPE_INVALID", `'schemas' must be an array that holds '${schema}'`);
}
