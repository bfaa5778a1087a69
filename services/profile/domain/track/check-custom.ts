/** What the value of a custom attribute asks for: set, take away, count, or change the members of an array. */
import { limits } from "../../../../platform/limits.ts";
import { isObject, type RawObject } from "../values/check-json.ts";
import { checkStringValue, isTimeObject, nestedObject, nestedObjects, timeObject, timeValue } from "./check-nested.ts";
import { checkBytes, checkObjectsChange } from "./check-objects-change.ts";
import { scalarKey } from "../values/custom-value.ts";
import { type FieldFaults, quoted, Verdict } from "../values/check-verdict.ts";
import type { CustomChange, Scalar } from "../record/track-object.ts";

/**
 * The change that a custom attribute's value stands for (api-facts 2.5). Ignored: a nested value that is null or invalid, and
 * what is over `attributeObjectBytesMax`. Decided here:
 * - an object is an operator when it has no keys but `inc`, or `add` and `remove`, or `$add`, `$remove` and `$update`;
 *   an operator of a wrong type is a verdict, so that a slip does not put an object in the place of a counter;
 *   with any other key beside them `inc`, `add` and `remove` are data;
 * - strings in arrays stay strings; a time there is `{ "$time": text }`;
 * - null, arrays, or objects beside scalars in an array are a verdict;
 * - of more than `attributeArrayItemsMax` members the last are taken, which is reported.
 */
export function checkCustom(attribute: string, value: unknown, { mergeObjects, faults }: CustomOptions): CustomChange {
  if (typeof value === "string") return { op: "set", value: timeValue(value) ?? checkStringValue(attribute, value) };
  if (typeof value === "number" || typeof value === "boolean") return { op: "set", value };
  if (Array.isArray(value)) return checkArray(attribute, value, faults);
  return isObject(value) ? checkObjectValue(attribute, value, { mergeObjects, faults }) : { op: "unset" };
}

export interface CustomOptions {
  readonly mergeObjects: boolean;
  /** What is not taken as it was sent. */
  readonly faults: FieldFaults;
}

function checkArray(attribute: string, items: readonly unknown[], faults: FieldFaults): CustomChange {
  if (items.length === 0 || items.some(isScalarLike)) {
    return { op: "set", value: lastMembers(attribute, orderedSet(attribute, items), faults) };
  }
  if (!items.every(isObject)) throw notAList(attribute);
  const objects = nestedObjects(attribute, items);
  checkBytes(attribute, objects);
  return { op: "set", value: objects };
}

/** As many as an array may hold (api-facts 2.5: on overflow the oldest leave). */
function lastMembers(attribute: string, members: readonly Scalar[], faults: FieldFaults): readonly Scalar[] {
  const most = limits.attributeArrayItemsMax;
  if (members.length <= most) return members;
  faults.note(attribute, `'${quoted(attribute)}' has ${members.length} members and may have ${most}: the last ${most} were taken`);
  return members.slice(-most);
}

function checkObjectValue(attribute: string, value: RawObject, options: CustomOptions): CustomChange {
  const { mergeObjects: merge, faults } = options;
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === "inc") return { op: "increment", by: checkIncrement(attribute, value["inc"]) };
  if (keys.length > 0 && keys.every(isMembersKey)) return checkMembers(attribute, value, faults);
  if (keys.length > 0 && keys.every(isObjectsKey)) return checkObjectsChange(attribute, value, merge);
  if (isTimeObject(value)) return { op: "set", value: timeObject(attribute, value) };
  const object = nestedObject(attribute, value);
  checkBytes(attribute, object);
  return { op: merge ? "merge" : "set", value: object };
}

function checkIncrement(attribute: string, by: unknown): number {
  if (typeof by !== "number") throw new Verdict(`'inc' of '${quoted(attribute)}' must be a number`);
  return by;
}

function checkMembers(attribute: string, value: RawObject, faults: FieldFaults): CustomChange {
  const add = checkMemberList(attribute, "add", value["add"]);
  const remove = checkMemberList(attribute, "remove", value["remove"]);
  lastMembers(attribute, add, faults);
  return { op: "members", add, remove };
}

function checkMemberList(attribute: string, operator: string, items: unknown): Scalar[] {
  if (items === undefined) return [];
  if (!Array.isArray(items)) throw new Verdict(`'${operator}' of '${quoted(attribute)}' must be an array`);
  return orderedSet(attribute, items);
}

/** Each member once, at its last place. */
function orderedSet(attribute: string, items: readonly unknown[]): Scalar[] {
  const members = new Map<string, Scalar>();
  for (const item of items) {
    const member = checkScalar(attribute, item);
    const key = scalarKey(member);
    members.delete(key);
    members.set(key, member);
  }
  return [...members.values()];
}

function checkScalar(attribute: string, item: unknown): Scalar {
  if (typeof item === "string") return checkStringValue(attribute, item);
  if (typeof item === "number" || typeof item === "boolean") return item;
  if (isTimeObject(item)) return timeObject(attribute, item);
  throw notAList(attribute);
}

function notAList(attribute: string): Verdict {
  return new Verdict(`'${quoted(attribute)}' must be an array of scalars or an array of objects`);
}

function isScalarLike(item: unknown): boolean {
  return typeof item === "string" || typeof item === "number" || typeof item === "boolean" || isTimeObject(item);
}

function isMembersKey(key: string): boolean {
  return key === "add" || key === "remove";
}

function isObjectsKey(key: string): boolean {
  return key === "$add" || key === "$remove" || key === "$update";
}
