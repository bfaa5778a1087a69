/** The operators `$add`, `$remove` and `$update` of a custom attribute that is an array of objects. */
import { limits } from "../../../platform/limits.ts";
import { fitsBytes, isObject, type RawObject } from "./check-json.ts";
import { checkStringValue, isTimeObject, nestedObject, nestedObjects, timeObject } from "./check-nested.ts";
import { Verdict } from "./check-verdict.ts";
import type { CustomChange, Json, JsonObject, ObjectMatch } from "./track-object.ts";

type Update = ObjectMatch & { readonly object: JsonObject };

/**
 * The change that the operators stand for (api-facts 2.5); undefined as in checkCustom: an invalid nested value or more
 * than `attributeObjectBytesMax` in all. A wrong shape of an operator is a verdict.
 */
export function checkObjectsChange(attribute: string, raw: RawObject, merge: boolean): CustomChange | undefined {
  const add = nestedObjects(attribute, checkObjectList(attribute, "$add", raw["$add"]));
  const remove = checkObjectList(attribute, "$remove", raw["$remove"]).map((item) => checkMatch(attribute, item));
  const update = checkUpdates(attribute, checkObjectList(attribute, "$update", raw["$update"]));
  if (add === undefined || update === undefined) return undefined;
  const change = { op: "objects", add, remove, update, merge } as const;
  return fitsBytes(change, limits.attributeObjectBytesMax) ? change : undefined;
}

function checkObjectList(attribute: string, operator: string, items: unknown): readonly RawObject[] {
  if (items === undefined) return [];
  if (!Array.isArray(items) || !items.every(isObject)) throw new Verdict(`'${operator}' of '${attribute}' must be an array of objects`);
  return items;
}

function checkMatch(attribute: string, raw: RawObject): ObjectMatch {
  const key = raw["$identifier_key"];
  const value = matchValue(attribute, raw["$identifier_value"]);
  if (typeof key !== "string" || key === "" || value === undefined) {
    throw new Verdict(`'${attribute}' must name objects by '$identifier_key', a string, and '$identifier_value', a scalar`);
  }
  return { key, value };
}

function matchValue(attribute: string, value: unknown): Json | undefined {
  if (typeof value === "string") return checkStringValue(attribute, value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  return isTimeObject(value) ? timeObject(value) : undefined;
}

function checkUpdates(attribute: string, items: readonly RawObject[]): Update[] | undefined {
  const updates: Update[] = [];
  for (const item of items) {
    const match = checkMatch(attribute, item);
    const next = item["$new_object"];
    if (!isObject(next)) throw new Verdict(`'$update' of '${attribute}' must have an object as '$new_object'`);
    const object = nestedObject(attribute, next);
    if (object === undefined) return undefined;
    updates.push({ ...match, object });
  }
  return updates;
}
