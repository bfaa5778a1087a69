/** What each change does to one custom attribute (api-facts section 2.5). A change that does not fit the value there has no effect. */
import { limits } from "../../../../platform/limits.ts";
import { deepMerge, fitsIn, isObjectArray, isPlainObject, isScalarArray, jsonEqual, scalarKey } from "../values/custom-value.ts";
import type { CustomChange, CustomValue, JsonObject, ObjectMatch, Scalar } from "../record/track-object.ts";

/**
 * Changes the attribute `name` in place. No type is enforced over time: `set` may turn a number into an array.
 * A value over `attributeObjectBytesMax` and a new name beyond `attributesPerProfileMax` are dropped.
 */
export function applyCustom(custom: Map<string, CustomValue>, name: string, change: CustomChange): void {
  const old = custom.get(name);
  const next = changed(old, change);
  if (next === old) return;
  if (next === undefined) custom.delete(name);
  else if (old !== undefined || custom.size < limits.attributesPerProfileMax) custom.set(name, next);
}

/** Whether the change leaves a value where there was none. */
export function adds(change: CustomChange): boolean {
  return "add" in change ? change.add.length > 0 : change.op !== "unset";
}

/** The value after the change, `old` itself where it has no effect, undefined where there is none. */
function changed(old: CustomValue | undefined, change: CustomChange): CustomValue | undefined {
  switch (change.op) {
    case "set":
      return set(old, change.value);
    case "merge":
      return withinBytes(old, isPlainObject(old) ? deepMerge(old, change.value) : change.value);
    case "unset":
      return undefined;
    case "increment":
      return increment(old, change.by);
    case "members":
      return members(old, change);
    case "objects":
      return objects(old, change);
  }
}

function set(old: CustomValue | undefined, value: CustomValue): CustomValue | undefined {
  if (typeof value !== "object") return value;
  return Array.isArray(value) && isScalarArray(value) ? newest(value) : withinBytes(old, value);
}

/** A sum beyond the range of a double would be no JSON. */
function increment(old: CustomValue | undefined, by: number): CustomValue | undefined {
  if (old !== undefined && typeof old !== "number") return old;
  const sum = (old ?? 0) + by;
  return Number.isFinite(sum) ? sum : old;
}

/** An ordered set: removes first, then adds, each added member at the end. */
function members(old: CustomValue | undefined, change: MembersChange): CustomValue | undefined {
  if (old === undefined && change.add.length === 0) return undefined;
  if (old !== undefined && !isScalarArray(old)) return old;
  const kept = new Map((old ?? []).map((member) => [scalarKey(member), member]));
  for (const member of change.remove) kept.delete(scalarKey(member));
  for (const member of change.add) {
    const key = scalarKey(member);
    kept.delete(key);
    kept.set(key, member);
  }
  return newest([...kept.values()]);
}

/** Operators sent together run in the order add, remove, update. Remove and update mean every object that matches. */
function objects(old: CustomValue | undefined, change: ObjectsChange): CustomValue | undefined {
  if (old === undefined && change.add.length === 0) return undefined;
  if (old !== undefined && !isObjectArray(old)) return old;
  let items: readonly JsonObject[] = [...(old ?? []), ...change.add];
  for (const match of change.remove) items = items.filter((item) => !matches(item, match));
  for (const update of change.update) {
    items = items.map((item) => {
      if (!matches(item, update)) return item;
      return change.merge ? deepMerge(item, update.object) : update.object;
    });
  }
  return withinBytes(old, items);
}

function matches(item: JsonObject, match: ObjectMatch): boolean {
  return Object.hasOwn(item, match.key) && jsonEqual(item[match.key], match.value);
}

function withinBytes(old: CustomValue | undefined, next: CustomValue): CustomValue | undefined {
  return fitsIn(limits.attributeObjectBytesMax, next) ? next : old;
}

/** On overflow the oldest leave. */
function newest(list: readonly Scalar[]): readonly Scalar[] {
  return list.length <= limits.attributeArrayItemsMax ? list : list.slice(-limits.attributeArrayItemsMax);
}

type MembersChange = Extract<CustomChange, { op: "members" }>;
type ObjectsChange = Extract<CustomChange, { op: "objects" }>;
