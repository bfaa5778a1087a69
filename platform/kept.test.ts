/** What is kept stays within its bounds. */
import { expect, test } from "vitest";
import { openKept } from "./kept.ts";

test("the one that was asked for longest ago goes first", () => {
  const kept = openKept<number>({ entriesMax: 2, sizeMax: 100 });
  kept.put("a", 1, 1);
  kept.put("b", 2, 1);
  expect(kept.get("a")).toBe(1);
  kept.put("c", 3, 1);
  expect(["a", "b", "c"].map((key) => kept.get(key))).toEqual([1, undefined, 3]);
});

test("all of it is no larger than it may be, and an entry counts once", () => {
  const kept = openKept<number>({ entriesMax: 10, sizeMax: 10 });
  kept.put("a", 1, 4);
  kept.put("a", 2, 6);
  kept.put("b", 3, 4);
  expect([kept.get("a"), kept.get("b")]).toEqual([2, 3]);
  kept.put("c", 4, 5);
  expect(["a", "b", "c"].map((key) => kept.get(key))).toEqual([undefined, 3, 4]);
  kept.put("b", 5, 11);
  expect([kept.get("b"), kept.get("c")]).toEqual([undefined, 4]);
});
