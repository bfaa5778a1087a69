/** What the value of a custom attribute asks for: set, take away, count, or change the members of an array. */
import { limits } from "../../../platform/limits.ts";
import { fitsBytes, isObject, type RawObject } from "./check-json.ts";
import { checkStringValue, isTimeObject, nestedObject, nestedObjects, timeObject, timeValue } from "./check-nested.ts";
import { checkObjectsChange } from "./check-objects-change.ts";
import { Verdict } from "./check-verdict.ts";
import type { CustomChange, Scalar } from "./track-object.ts";

/**
 * The change that a custom attribute's value stands for (api-facts 2.5); undefined: the attribute is left as it is,
 * because a nested value is null or invalid or the whole is over `attributeObjectBytesMax`. Decided here:
 * - an object is an operator when it has no keys but `inc`, or `add` and `remove`, or `$add`, `$remove` and `$update`;
 *   an operator of a wrong type is a verdict, so that a slip does not put an object in the place of a counter;
 *   with any other key beside them `inc`, `add` and `remove` are data;
 * - strings in arrays stay strings; a time there is `{ "$time": text }`;
 * - null, arrays, or objects beside scalars in an array are a verdict.
 */
export function checkCustom(attribute: string, value: unknown, mergeObjects: boolean): CustomChange | undefined {
  if (typeof value === "string") return { op: "set", value: timeValue(value) ?? checkStringValue(attribute, value) };
  if (typeof value === "number" || typeof value === "boolean") return { op: "set", value };
  if (value === null) return { op: "unset" };
  if (Array.isArray(value)) return checkArray(attribute, value);
  return isObject(value) ? checkObjectValue(attribute, value, mergeObjects) : undefined;
}

function checkArray(attribute: string, items: readonly unknown[]): CustomChange | undefined {
  if (items.length === 0 || items.some(isScalarLike)) {
    const members = orderedSet(attribute, items);
    return members && { op: "set", value: members.slice(-limits.attributeArrayItemsMax) };
  }
  if (!items.every(isObject)) throw new Verdict(`'${attribute}' must be an array of scalars or an array of objects`);
  const objects = nestedObjects(attribute, items);
  return objects && fitsBytes(objects, limits.attributeObjectBytesMax) ? { op: "set", value: objects } : undefined;
}

function checkObjectValue(attribute: string, value: RawObject, merge: boolean): CustomChange | undefined {
  const keys = Object.keys(value);
  if (keys.length === 1 && keys[0] === "inc") return { op: "increment", by: checkIncrement(attribute, value["inc"]) };
  if (keys.length > 0 && keys.every(isMembersKey)) return checkMembers(attribute, value);
  if (keys.length > 0 && keys.every(isObjectsKey)) return checkObjectsChange(attribute, value, merge);
  if (isTimeObject(value)) {
    const time = timeObject(value);
    return time && { op: "set", value: time };
  }
  const object = nestedObject(attribute, value);
  if (object === undefined || !fitsBytes(object, limits.attributeObjectBytesMax)) return undefined;
  return { op: merge ? "merge" : "set", value: object };
}

function checkIncrement(attribute: string, by: unknown): number {
  if (typeof by !== "number") throw new Verdict(`'inc' of '${attribute}' must be a number`);
  return by;
}

function checkMembers(attribute: string, value: RawObject): CustomChange | undefined {
  const add = checkMemberList(attribute, "add", value["add"]);
  const remove = checkMemberList(attribute, "remove", value["remove"]);
  return add && remove && { op: "members", add, remove };
}

function checkMemberList(attribute: string, operator: string, items: unknown): Scalar[] | undefined {
  if (items === undefined) return [];
  if (!Array.isArray(items)) throw new Verdict(`'${operator}' of '${attribute}' must be an array`);
  return orderedSet(attribute, items);
}

/** Each member once, at its last place; undefined where a time among them is none. */
function orderedSet(attribute: string, items: readonly unknown[]): Scalar[] | undefined {
  const members = new Map<unknown, Scalar>();
  for (const item of items) {
    const member = checkScalar(attribute, item);
    if (member === undefined) return undefined;
    const identity = identityOf(member);
    members.delete(identity);
    members.set(identity, member);
  }
  return [...members.values()];
}

function checkScalar(attribute: string, item: unknown): Scalar | undefined {
  if (typeof item === "string") return checkStringValue(attribute, item);
  if (typeof item === "number" || typeof item === "boolean") return item;
  if (isTimeObject(item)) return timeObject(item);
  throw new Verdict(`'${attribute}' must be an array of scalars or an array of objects`);
}

/** Members are equal when type and value are; the letters keep a text apart from a time of the same text. */
function identityOf(member: Scalar): unknown {
  if (typeof member === "string") return `s${member}`;
  return typeof member === "object" ? `t${member.$time}` : member;
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
