/** The operators `$add`, `$remove` and `$update` of a custom attribute that is an array of objects. */
import { limits } from "../../../../platform/limits.ts";
import { fitsBytes, isObject, type RawObject } from "../values/check-json.ts";
import { checkStringValue, isTimeObject, nestedObject, nestedObjects, timeObject } from "./check-nested.ts";
import { Ignored, quoted, Verdict } from "../values/check-verdict.ts";
import type { CustomChange, Json, JsonObject, ObjectMatch } from "../record/track-object.ts";

/** Throws Ignored for what takes more than `attributeObjectBytesMax`. */
export function checkBytes(attribute: string, value: unknown): void {
  if (fitsBytes(value, limits.attributeObjectBytesMax)) return;
  throw new Ignored(`'${quoted(attribute)}' is larger than ${limits.attributeObjectBytesMax} bytes of JSON`);
}

type Update = ObjectMatch & { readonly object: JsonObject };

/**
 * The change that the operators stand for (api-facts 2.5). Ignored as in checkCustom: an invalid nested value or more than
 * `attributeObjectBytesMax` in all. A wrong shape of an operator is a verdict.
 */
export function checkObjectsChange(attribute: string, raw: RawObject, merge: boolean): CustomChange {
  const add = nestedObjects(attribute, checkObjectList(attribute, "$add", raw["$add"]));
  const remove = checkObjectList(attribute, "$remove", raw["$remove"]).map((item) => checkMatch(attribute, item));
  const update = checkUpdates(attribute, checkObjectList(attribute, "$update", raw["$update"]));
  const change = { op: "objects", add, remove, update, merge } as const;
  checkBytes(attribute, change);
  return change;
}

function checkObjectList(attribute: string, operator: string, items: unknown): readonly RawObject[] {
  if (items === undefined) return [];
  if (!Array.isArray(items) || !items.every(isObject)) {
    throw new Verdict(`'${operator}' of '${quoted(attribute)}' must be an array of objects`);
  }
  return items;
}

function checkMatch(attribute: string, raw: RawObject): ObjectMatch {
  const key = raw["$identifier_key"];
  const value = matchValue(attribute, raw["$identifier_value"]);
  if (typeof key !== "string" || key === "" || value === undefined) {
    throw new Verdict(`'${quoted(attribute)}' must name objects by '$identifier_key', a string, and '$identifier_value', a scalar`);
  }
  return { key, value };
}

function matchValue(attribute: string, value: unknown): Json | undefined {
  if (typeof value === "string") return checkStringValue(attribute, value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  return isTimeObject(value) ? timeObject(attribute, value) : undefined;
}

function checkUpdates(attribute: string, items: readonly RawObject[]): Update[] {
  const updates: Update[] = [];
  for (const item of items) {
    const match = checkMatch(attribute, item);
    const next = item["$new_object"];
    if (!isObject(next)) throw new Verdict(`'$update' of '${quoted(attribute)}' must have an object as '$new_object'`);
    updates.push({ ...match, object: nestedObject(attribute, next) });
  }
  return updates;
}
