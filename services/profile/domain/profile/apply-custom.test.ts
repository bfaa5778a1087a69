/** Tests of the custom attribute operators: the rows of api-facts section 2.5. */
import { expect, test } from "vitest";
import { limits } from "../../../../platform/limits.ts";
import { applyCustom } from "./apply-custom.ts";
import type { CustomChange, CustomValue, JsonObject } from "../record/track-object.ts";

const none = undefined;
const noon = { $time: "2026-01-01T12:00:00.000Z" };
const many = Array.from({ length: limits.attributeArrayItemsMax }, (_, at) => at);
const cat = { id: 1, type: "cat" };
const dog = { id: 2, type: "dog", owner: { name: "Ann", age: 4 } };
const huge = { text: "x".repeat(limits.attributeObjectBytesMax) };

const rows: readonly [rule: string, before: CustomValue | undefined, change: CustomChange, after: CustomValue | undefined][] = [
  ["a value is set, of whatever type the old one was", "red", { op: "set", value: 5 }, 5],
  ["null removes the attribute", "red", { op: "unset" }, none],
  ["null removes nothing where nothing is", none, { op: "unset" }, none],
  ["a time is one value", none, { op: "set", value: noon }, noon],
  ["at most 25 items: the oldest leave when more are set", none, { op: "set", value: ["old", ...many] }, many],

  ["inc adds", 5, { op: "increment", by: 2 }, 7],
  ["inc may be negative", 5, { op: "increment", by: -7 }, -2],
  ["inc counts a missing attribute as 0", none, { op: "increment", by: 3 }, 3],
  ["inc does not fit a string", "5", { op: "increment", by: 1 }, "5"],
  ["inc does not fit a boolean", true, { op: "increment", by: 1 }, true],
  ["inc never leaves the numbers of JSON", Number.MAX_VALUE, { op: "increment", by: Number.MAX_VALUE }, Number.MAX_VALUE],

  ["add appends", ["a"], members(["b"]), ["a", "b"]],
  ["add makes the array", none, members(["a", "b"]), ["a", "b"]],
  ["a repeated add moves the value to the end", ["a", "b", "c"], members(["a"]), ["b", "c", "a"]],
  ["add keeps 25 items, the oldest leave", many, members(["new"]), [...many.slice(1), "new"]],
  ["a repeated add into a full array drops nothing", many, members([0]), [...many.slice(1), 0]],
  ["remove takes members out", ["a", "b", "c"], members([], ["b", "z"]), ["a", "c"]],
  ["remove makes no array", none, members([], ["a"]), none],
  ["add and remove in one object: removes first", ["a", "b"], members(["a"], ["a"]), ["b", "a"]],
  ["members of different types are different", [1, "1", true, "true"], members([], ["1", "true"]), [1, true]],
  ["times are members by their instant", [noon], members([], [{ ...noon }]), []],
  ["add does not fit a number", 5, members(["a"]), 5],
  ["add does not fit an object", { a: 1 }, members(["a"]), { a: 1 }],
  ["add does not fit an array of objects", [cat], members(["a"]), [cat]],
  ["add fits an empty array", [], members(["a"]), ["a"]],

  ["$add appends objects", [cat], objects({ add: [dog] }), [cat, dog]],
  ["$add makes the array", none, objects({ add: [cat] }), [cat]],
  ["$add fits an empty array", [], objects({ add: [cat] }), [cat]],
  ["$add has no item limit", many.map((id) => ({ id })), objects({ add: [cat] }), [...many.map((id) => ({ id })), cat]],
  ["$remove takes every match", [cat, dog, cat], objects({ remove: [{ key: "id", value: 1 }] }), [dog]],
  ["$remove compares nested values", [cat, dog], objects({ remove: [{ key: "owner", value: { age: 4, name: "Ann" } }] }), [cat]],
  ["$remove never matches what objects inherit", [cat], objects({ remove: [{ key: "__proto__", value: {} }] }), [cat]],
  ["$remove makes no array", none, objects({ remove: [{ key: "id", value: 1 }] }), none],
  ["$update overwrites every match", [cat, dog, cat], objects({ update: [{ key: "id", value: 1, object: { id: 9 } }] }), [{ id: 9 }, dog, {
    id: 9,
  }]],
  [
    "$update with _merge_objects merges deep",
    [dog],
    objects({ update: [{ key: "id", value: 2, object: { owner: { age: 5 } } }], merge: true }),
    [{ ...dog, owner: { name: "Ann", age: 5 } }],
  ],
  [
    "operators sent together run add, remove, update",
    [],
    objects({
      add: [cat, dog],
      remove: [{ key: "type", value: "cat" }],
      update: [{ key: "type", value: "dog", object: { id: 3 } }],
    }),
    [{ id: 3 }],
  ],
  ["array of objects operators do not fit an array of scalars", ["a"], objects({ add: [cat] }), ["a"]],
  ["array of objects operators do not fit an object", cat, objects({ add: [dog] }), cat],

  ["_merge_objects merges nested objects", { a: { b: 1, c: 2 }, d: 3 }, { op: "merge", value: { a: { c: 4, e: 5 } } }, {
    a: { b: 1, c: 4, e: 5 },
    d: 3,
  }],
  ["_merge_objects sets where nothing is", none, { op: "merge", value: { a: 1 } }, { a: 1 }],
  ["_merge_objects sets where no object is", "red", { op: "merge", value: { a: 1 } }, { a: 1 }],
  ["_merge_objects takes a time for a value", { at: noon }, { op: "merge", value: { at: { k: 1 } } }, { at: { k: 1 } }],
  ["_merge_objects sets where a time is", noon, { op: "merge", value: { k: 1 } }, { k: 1 }],
  ["without _merge_objects an object is overwritten", { a: 1 }, { op: "set", value: { b: 2 } }, { b: 2 }],

  ["an object over 100 KB is dropped", "kept", { op: "set", value: huge }, "kept"],
  ["a merge over 100 KB is dropped", { a: 1 }, { op: "merge", value: huge }, { a: 1 }],
  ["an $add over 100 KB is dropped", [cat], objects({ add: [huge] }), [cat]],
];

test.each(rows)("applyCustom() %s", (...[, before, change, after]) => {
  const custom = new Map<string, CustomValue>(before === undefined ? [] : [["name", before]]);
  const frozen = JSON.stringify([before, change]);
  applyCustom(custom, "name", change);
  expect(custom.get("name")).toEqual(after);
  expect(JSON.stringify([before, change]), "values are never changed in place").toBe(frozen);
});

test("applyCustom() keeps an object of exactly 100 KB and counts UTF-8 bytes", () => {
  const room = limits.attributeObjectBytesMax - JSON.stringify({ a: "" }).length;
  const custom = new Map<string, CustomValue>();
  applyCustom(custom, "fits", { op: "set", value: { a: "x".repeat(room) } });
  applyCustom(custom, "over", { op: "set", value: { a: `${"x".repeat(room - 1)}ü` } });
  expect([...custom.keys()]).toEqual(["fits"]);
});

test("applyCustom() keeps special keys as plain data", () => {
  const before = JSON.parse('{"__proto__":{"a":1},"constructor":{"a":1},"toString":1}') as JsonObject;
  const change = JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"hasOwnProperty":2}') as JsonObject;
  const custom = new Map<string, CustomValue>([["name", before]]);
  applyCustom(custom, "name", { op: "merge", value: change });
  expect(JSON.stringify(custom.get("name"))).toBe(
    '{"__proto__":{"a":1,"polluted":1},"constructor":{"a":1,"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":2}',
  );
  expect(Object.hasOwn(Object.prototype, "polluted")).toBe(false);
  expect(({} as Record<string, unknown>)["polluted"]).toBeUndefined();
});

test("applyCustom() drops a new name beyond attributesPerProfileMax and still changes the old ones", () => {
  const custom = new Map<string, CustomValue>(Array.from({ length: limits.attributesPerProfileMax }, (_, at) => [`n${at}`, at]));
  applyCustom(custom, "new", { op: "set", value: 1 });
  applyCustom(custom, "n0", { op: "set", value: "changed" });
  expect([custom.size, custom.has("new"), custom.get("n0")]).toEqual([limits.attributesPerProfileMax, false, "changed"]);
});

function members(add: readonly (string | number)[], remove: Extract<CustomChange, { op: "members" }>["remove"] = []): CustomChange {
  return { op: "members", add, remove };
}

function objects(change: {
  add?: readonly JsonObject[];
  remove?: readonly { key: string; value: JsonObject | string | number | null }[];
  update?: readonly { key: string; value: string | number; object: JsonObject }[];
  merge?: boolean;
}): CustomChange {
  return { op: "objects", add: [], remove: [], update: [], merge: false, ...change };
}
