/** Custom attribute values: what kind one is, when two are equal, how objects merge, how large one is. Values are never changed in place. */
import { isObject } from "./check-json.ts";
import type { CustomValue, Json, JsonObject, Scalar, TimeValue } from "../record/track-object.ts";

/** A time is one value, although JSON has to write it as an object. */
export function isTime(value: Json | CustomValue | undefined): value is TimeValue {
  if (!isObject(value) || !Object.hasOwn(value, "$time")) return false;
  return typeof value["$time"] === "string" && Object.keys(value).length === 1;
}

/** An object with keys of the client's own; a time is none. */
export function isPlainObject(value: Json | CustomValue | undefined): value is JsonObject {
  return isObject(value) && !isTime(value);
}

/** An empty array holds scalars as well as objects. */
export function isScalarArray(value: CustomValue): value is readonly Scalar[] {
  return Array.isArray(value) && !isPlainObject(value[0]);
}

export function isObjectArray(value: CustomValue): value is readonly JsonObject[] {
  return Array.isArray(value) && (value.length === 0 || isPlainObject(value[0]));
}

/** Equal texts mean equal scalars: 1, "1" and true stay apart, two times of the same instant do not. */
export function scalarKey(value: Scalar): string {
  if (typeof value === "string") return `"${value}`;
  return typeof value === "object" ? `$${value.$time}` : String(value);
}

export function jsonEqual(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, at) => jsonEqual(item, right[at]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length &&
    keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key]));
}

/**
 * What `_merge_objects` makes of two objects: keys of both, objects under the same key merged in turn, anything else taken
 * from the change. Keys keep the place they had. The result is built from entries: assigning would run the setter of `__proto__`.
 */
export function deepMerge(old: JsonObject, change: JsonObject): JsonObject {
  const merged = new Map<string, Json>(Object.entries(old));
  for (const [key, value] of Object.entries(change)) {
    const before = merged.get(key);
    merged.set(key, isPlainObject(before) && isPlainObject(value) ? deepMerge(before, value) : value);
  }
  return Object.fromEntries(merged);
}

/** Whether the value's JSON has at most `bytesMax` bytes of UTF-8. */
export function fitsIn(bytesMax: number, value: CustomValue): boolean {
  const text = JSON.stringify(value);
  if (text.length * utf8BytesPerCharMax <= bytesMax) return true;
  return text.length <= bytesMax && utf8.encode(text).length <= bytesMax;
}

const utf8BytesPerCharMax = 3;
const utf8 = new TextEncoder();
