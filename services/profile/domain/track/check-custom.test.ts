/** Tests of custom attributes: every type and every operator (api-facts 2.5). */
import { expect, test } from "vitest";
import { checkCustom } from "./check-custom.ts";
import { FieldFaults, Ignored } from "../values/check-verdict.ts";
import type { CustomChange } from "../record/track-object.ts";

const time = { $time: "2019-02-15T00:00:00.000Z" };
const numbers = Array.from({ length: 30 }, (_, at) => at);

function set(value: unknown): object {
  return { op: "set", value };
}

function members(add: unknown[], remove: unknown[]): object {
  return { op: "members", add, remove };
}

/** Undefined where the value is ignored: reported, and the attribute is left as it is. */
function change(value: unknown, mergeObjects = false): CustomChange | undefined {
  try {
    return checkCustom("attribute", value, { mergeObjects, faults: new FieldFaults() });
  } catch (error) {
    if (error instanceof Ignored) return undefined;
    throw error;
  }
}

test.each([
  ["true", true, set(true)],
  ["false", false, set(false)],
  ["an integer", 7, set(7)],
  ["a float", -1.5, set(-1.5)],
  ["a string", "blue", set("blue")],
  ["an empty string", "", set("")],
  ["a string of 255 characters", "x".repeat(255), set("x".repeat(255))],
  ["255 characters beyond the BMP", "😀".repeat(255), set("😀".repeat(255))],
  ["null, which removes", null, { op: "unset" }],
  ["an ISO date as a time", "2019-02-15", set(time)],
  ["an ISO time", "2019-02-15T00:00:00Z", set(time)],
  ["a time with a colon before its milliseconds", "2019-02-15T00:00:00:000Z", set(time)],
  ["the form MM/dd/yyyy", "02/15/2019", set(time)],
  ["12-1-2021, which looks like a date", "12-1-2021", set({ $time: "2021-12-01T00:00:00.000Z" })],
  ["12/1/2021, which looks like a date", "12/1/2021", set({ $time: "2021-12-01T00:00:00.000Z" })],
  ["the form ddd MM dd HH:mm:ss.TZD YYYY", "Fri 02 15 00:00:00.Z 2019", set(time)],
  ["a $time object", { $time: "2019-02-15 00:00:00" }, set(time)],
  ["year 0 as a time", "0000-01-01", set({ $time: "0000-01-01T00:00:00.000Z" })],
  ["year 3000 as a time", "3000-12-31T23:59:59.999Z", set({ $time: "3000-12-31T23:59:59.999Z" })],
  ["a year above 3000 as a string", "3001-01-01", set("3001-01-01")],
  ["a year below 0 as a string", "-0001-01-01", set("-0001-01-01")],
  ["a time that its zone puts below year 0 as a string", "0000-01-01T00:00:00+01:00", set("0000-01-01T00:00:00+01:00")],
  ["a date that is none as a string", "2019-02-30", set("2019-02-30")],
  ["a year alone as a string", "2019", set("2019")],
])("checkCustom() takes %s (api-facts 2.5, types and dates)", (_, value, expected) => {
  expect(change(value)).toEqual(expected);
});

test.each([
  ["an empty array", [], set([])],
  ["an array of strings", ["a", "b"], set(["a", "b"])],
  ["the example of initial duplicates", ["hotdog", "hotdog", "hotdog", "pizza"], set(["hotdog", "pizza"])],
  ["a later duplicate, at its last place", ["a", "b", "a"], set(["b", "a"])],
  ["members that differ in type alone", [1, "1", true, "true"], set([1, "1", true, "true"])],
  ["dates as strings", ["2019-02-15"], set(["2019-02-15"])],
  ["times", [{ $time: "2019-02-15" }, { $time: "02/15/2019" }, time.$time, `t${time.$time}`], set([time, time.$time, `t${time.$time}`])],
  ["25 items, the newest", numbers, set(numbers.slice(-25))],
  ["add", { add: ["a", "b", "a"] }, members(["b", "a"], [])],
  ["remove", { remove: ["a"] }, members([], ["a"])],
  ["add and remove together", { add: ["a"], remove: [1, true] }, members(["a"], [1, true])],
  ["add of more than 25 items, for the applier", { add: numbers }, members(numbers, [])],
  ["add beside another key, as data", { add: ["a"], colour: "red" }, set({ add: ["a"], colour: "red" })],
  ["inc", { inc: 5 }, { op: "increment", by: 5 }],
  ["a negative inc", { inc: -2.5 }, { op: "increment", by: -2.5 }],
  ["inc beside another key, as data", { inc: 5, unit: "m" }, set({ inc: 5, unit: "m" })],
])("checkCustom() takes %s (api-facts 2.5, arrays and operators)", (_, value, expected) => {
  expect(change(value)).toEqual(expected);
});

test.each([
  ["an object", { a: { b: [1, "x", { c: true }] } }, set({ a: { b: [1, "x", { c: true }] } })],
  ["an empty object", {}, set({})],
  ["a nested time in one form", { at: { $time: "02/15/2019" } }, set({ at: time })],
  ["nested times in arrays", { at: [{ $time: "2019-02-15" }] }, set({ at: [time] })],
  ["a nested string that looks like a date, as a string", { at: "2019-02-15" }, set({ at: "2019-02-15" })],
  ["names of the language", { constructor: 1, toString: "x" }, set({ constructor: 1, toString: "x" })],
  ["an array of objects", [{ id: 1 }, { id: 2, at: { $time: "2019-02-15" } }], set([{ id: 1 }, { id: 2, at: time }])],
  ["equal objects in an array", [{ id: 1 }, { id: 1 }], set([{ id: 1 }, { id: 1 }])],
  ["more than 25 objects", numbers.map((id) => ({ id })), set(numbers.map((id) => ({ id })))],
])("checkCustom() takes %s (api-facts 2.5, nested)", (_, value, expected) => {
  expect(change(value)).toEqual(expected);
});

test.each([
  ["an object", { a: 1 }, { op: "merge", value: { a: 1 } }],
  ["a time", { $time: "2019-02-15" }, set(time)],
  ["an array of objects", [{ a: 1 }], set([{ a: 1 }])],
  ["an operator", { inc: 1 }, { op: "increment", by: 1 }],
])("checkCustom() with _merge_objects takes %s (api-facts 2.5)", (_, value, expected) => {
  expect(change(value, true)).toEqual(expected);
});

const match = { $identifier_key: "id", $identifier_value: 1 };

test.each([
  ["$add", { $add: [{ id: 1, at: { $time: "2019-02-15" } }] }, {
    op: "objects",
    add: [{ id: 1, at: time }],
    remove: [],
    update: [],
    merge: false,
  }],
  ["$remove", { $remove: [match] }, { op: "objects", add: [], remove: [{ key: "id", value: 1 }], update: [], merge: false }],
  ["$remove by a time", { $remove: [{ $identifier_key: "at", $identifier_value: { $time: "2019-02-15" } }] }, {
    op: "objects",
    add: [],
    remove: [{ key: "at", value: time }],
    update: [],
    merge: false,
  }],
  ["$update", { $update: [{ ...match, $new_object: { id: 2 } }] }, {
    op: "objects",
    add: [],
    remove: [],
    update: [{ key: "id", value: 1, object: { id: 2 } }],
    merge: false,
  }],
  ["all three together", { $update: [{ ...match, $new_object: { at: { $time: "2019-02-15" } } }], $add: [{ id: 3 }], $remove: [match] }, {
    op: "objects",
    add: [{ id: 3 }],
    remove: [{ key: "id", value: 1 }],
    update: [{ key: "id", value: 1, object: { at: time } }],
    merge: false,
  }],
])("checkCustom() takes %s (api-facts 2.5, arrays of objects)", (_, value, expected) => {
  expect(change(value)).toEqual(expected);
  expect(change(value, true)).toEqual({ ...expected, merge: true });
});

test.each([
  ["a null", { a: 1, b: null }],
  ["a null deep down", { a: { b: { c: null } } }],
  ["a null in an array", { a: [1, null] }],
  ["an array in an array", { a: [[1]] }],
  ["a name with a space", { "a b": 1 }],
  ["a name with a dot", { "a.b": 1 }],
  ["a name with a dollar", { a$: 1 }],
  ["an empty name", { "": 1 }],
  ["a name of 256 characters", { ["n".repeat(256)]: 1 }],
  ["a $time that is no time", { a: { $time: "soon" } }],
  ["a $time that is no text", { a: { $time: 5 } }],
  ["a $time with another key", { a: { $time: "2019-02-15", b: 1 } }],
  ["a nested time above year 3000", { a: { $time: "3001-01-01" } }],
  ["an operator beside data", { $add: [{ id: 1 }], a: 1 }],
  ["a $time at the top that is no time", { $time: "soon" }],
  ["an invalid time in an array", ["a", { $time: "soon" }]],
  ["a null in an array of objects", [{ a: 1 }, { a: null }]],
  ["a null in $add", { $add: [{ a: null }] }],
  ["a null in $new_object", { $update: [{ ...match, $new_object: { a: null } }] }],
  ["more than 100 KB of object", { a: Array.from({ length: 520 }, () => "é".repeat(100)) }],
  ["more than 100 KB of objects", Array.from({ length: 520 }, () => ({ a: "é".repeat(100) }))],
  ["more than 100 KB of operators", { $add: Array.from({ length: 520 }, () => ({ a: "é".repeat(100) })) }],
])("checkCustom() drops the update for %s (api-facts 2.5)", (_, value) => {
  expect(change(value)).toBeUndefined();
  expect(change(value, true)).toBeUndefined();
});

test("checkCustom() takes 100 KB to the byte and drops one more (api-facts 2.5)", () => {
  const texts = Array.from({ length: 452 }, () => "x".repeat(223));
  function object(last: number): object {
    return { a: [...texts, "x".repeat(last)] };
  }
  const rest = 102_400 - JSON.stringify(object(0)).length;
  expect(rest).toBeLessThan(255);
  expect(change(object(rest))).toEqual(set(object(rest)));
  expect(change(object(rest + 1))).toBeUndefined();
});

const longText = "A string of 'attribute' is longer than 255 characters";
const mixed = "'attribute' must be an array of scalars or an array of objects";
const named = "'attribute' must name objects by '$identifier_key', a string, and '$identifier_value', a scalar";

test.each([
  ["a string of 256 characters", "x".repeat(256), longText],
  ["256 characters beyond the BMP", "😀".repeat(256), longText],
  ["a string of 256 characters in an array", ["x".repeat(256)], longText],
  ["a nested string of 256 characters", { a: { b: "x".repeat(256) } }, longText],
  ["a string of 256 characters in add", { add: ["x".repeat(256)] }, longText],
  ["an array of arrays", [[1]], mixed],
  ["null in an array", [1, null], mixed],
  ["only null in an array", [null], mixed],
  ["objects beside scalars", [1, { a: 1 }], mixed],
  ["scalars beside objects", [{ a: 1 }, 1], mixed],
  ["inc by a string", { inc: "5" }, "'inc' of 'attribute' must be a number"],
  ["inc by null", { inc: null }, "'inc' of 'attribute' must be a number"],
  ["add of a scalar", { add: "a" }, "'add' of 'attribute' must be an array"],
  ["remove of null", { add: ["a"], remove: null }, "'remove' of 'attribute' must be an array"],
  ["add of objects", { add: [{ a: 1 }] }, mixed],
  ["$add of an object", { $add: { a: 1 } }, "'$add' of 'attribute' must be an array of objects"],
  ["$add of scalars", { $add: [1] }, "'$add' of 'attribute' must be an array of objects"],
  ["$remove of null", { $remove: [null] }, "'$remove' of 'attribute' must be an array of objects"],
  ["$remove without a key", { $remove: [{ $identifier_value: 1 }] }, named],
  ["$remove without a value", { $remove: [{ $identifier_key: "id" }] }, named],
  ["$remove by an object", { $remove: [{ $identifier_key: "id", $identifier_value: { a: 1 } }] }, named],
  ["$update without $new_object", { $update: [match] }, "'$update' of 'attribute' must have an object as '$new_object'"],
])("checkCustom() refuses %s (api-facts 2.5)", (_, value, text) => {
  expect(() => change(value)).toThrow(text);
});
