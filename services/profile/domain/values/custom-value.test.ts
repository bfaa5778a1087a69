/** Tests of custom attribute values: kinds, equality, merging, size. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { deepMerge, fitsIn, isObjectArray, isPlainObject, isScalarArray, isTime, jsonEqual } from "./custom-value.ts";
import type { CustomValue, Json, JsonObject } from "../record/track-object.ts";

const time = { $time: "2026-01-01T00:00:00.000Z" };

const kinds: readonly (readonly [CustomValue, string])[] = [
  ["text", ""],
  [1, ""],
  [false, ""],
  [time, "time"],
  [{ ...time, more: 1 }, "plain"],
  [{ $time: 5 }, "plain"],
  [{}, "plain"],
  [[], "scalars objects"],
  [["a", time], "scalars"],
  [[time], "scalars"],
  [[{ a: 1 }], "objects"],
];

test.each(kinds)("kinds of custom values: %j is %j", (value, kind) => {
  const found = [
    isTime(value) && "time",
    isPlainObject(value) && "plain",
    isScalarArray(value) && "scalars",
    isObjectArray(value) && "objects",
  ];
  expect(found.filter(Boolean).join(" ")).toBe(kind);
});

const object = fc.jsonValue({ maxDepth: 3 }).filter((value) => isPlainObject(value as Json)) as fc.Arbitrary<JsonObject>;

test("jsonEqual() is the equality of JSON, whatever the order of keys", () => {
  fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (left, right) => {
    expect(jsonEqual(left as Json, JSON.parse(JSON.stringify(left)) as Json)).toBe(true);
    expect(jsonEqual(left as Json, right as Json)).toBe(jsonEqual(right as Json, left as Json));
  }));
  expect(jsonEqual({ a: 1, b: [null] }, { b: [null], a: 1 })).toBe(true);
  for (const [left, right] of [[{ a: 1 }, { a: 1, b: 2 }], [{ toString: 1 }, {}], [[1], { 0: 1 }], [null, {}], [1, "1"]] as const) {
    expect(jsonEqual(left, right)).toBe(false);
  }
});

test("deepMerge() has every key of both and is the change where nothing nests", () => {
  fc.assert(fc.property(object, object, (old, change) => {
    const merged = deepMerge(old, change);
    expect(new Set(Object.keys(merged))).toEqual(new Set([...Object.keys(old), ...Object.keys(change)]));
    expect(jsonEqual(deepMerge(merged, change), merged)).toBe(true);
    for (const [key, value] of Object.entries(change)) if (!isPlainObject(value)) expect(jsonEqual(merged[key], value)).toBe(true);
  }));
});

test("fitsIn() counts the bytes of UTF-8, not characters", () => {
  for (const text of ["aaaa", "üü", "€", "\u{1F600}", "\u0001"]) {
    const bytes = new TextEncoder().encode(JSON.stringify(text)).length;
    expect([fitsIn(bytes, text), fitsIn(bytes - 1, text)]).toEqual([true, false]);
  }
});
