/** What of a thing a declaration changes, field by field. */
import { isDeepStrictEqual } from "node:util";
import { isFields, member } from "./fields.ts";

export interface FieldChange {
  /** A field within a field is named with a dot: `limits.users_track`. */
  readonly field: string;
  /** undefined: it had none, or has none any more. */
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Pure. Fields that hold fields are looked into; lists are compared whole. */
export function fieldChanges(before: object, after: object, within = ""): FieldChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name): FieldChange[] => {
    const [from, to] = [member(before, name), member(after, name)];
    if (isSame(from, to)) return [];
    const field = `${within}${name}`;
    if (isFields(from) && isFields(to)) return fieldChanges(from, to, `${field}.`);
    return [{ field, ...(from !== undefined && { from }), ...(to !== undefined && { to }) }];
  });
}

/** Of plain data; the order of fields does not count, that of lists does. */
export function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one, other);
}
