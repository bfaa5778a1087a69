/** What is kept stays within its bounds. */
import { expect, test } from "vitest";
import { openCache } from "./cache.ts";

test("the one that was asked for longest ago goes first", () => {
  const cache = openCache<number>({ entriesMax: 2, sizeMax: 100 });
  cache.put("a", 1, 1);
  cache.put("b", 2, 1);
  expect(cache.get("a")).toBe(1);
  cache.put("c", 3, 1);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([1, undefined, 3]);
});

test("all of it is no larger than it may be, and an entry counts once", () => {
  const cache = openCache<number>({ entriesMax: 10, sizeMax: 10 });
  cache.put("a", 1, 4);
  cache.put("a", 2, 6);
  cache.put("b", 3, 4);
  expect([cache.get("a"), cache.get("b")]).toEqual([2, 3]);
  cache.put("c", 4, 5);
  expect(["a", "b", "c"].map((key) => cache.get(key))).toEqual([undefined, 3, 4]);
  cache.put("b", 5, 11);
  expect([cache.get("b"), cache.get("c")]).toEqual([undefined, 4]);
});
