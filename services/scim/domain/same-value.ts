/** Equality of JSON values. */
import { isFields } from "./fields.ts";

/** The same members in any order, the same elements in the same order. */
export function sameValue(left: unknown, right: unknown): boolean {
  if (Array.isArray(left)) {
    return Array.isArray(right) && left.length === right.length && left.every((each, at) => sameValue(each, right[at]));
  }
  if (!isFields(left) || !isFields(right)) return left === right;
  const names = Object.keys(left);
  return names.length === Object.keys(right).length &&
    names.every((name) => Object.hasOwn(right, name) && sameValue(left[name], right[name]));
}
