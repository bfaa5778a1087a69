/** Where the order of a workspace lives. */
import { expect, test } from "vitest";
import { partitionOf } from "./partition.ts";

test("partitionOf() is what it was when the records were written", () => {
  // The published vectors of FNV-1a, 32 bits
  const ids = ["", "a", "foobar"];
  expect(ids.map((id) => partitionOf(id, 2 ** 32))).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect(ids.map((id) => partitionOf(id, 64))).toEqual([5, 44, 40]);
  expect(ids.map((id) => partitionOf(id, 1))).toEqual([0, 0, 0]);
});

test("partitionOf() spreads workspaces over all partitions", () => {
  const hit = new Set(Array.from({ length: 2000 }, (_, index) => partitionOf(`ws_${index}`, 64)));
  expect(hit.size).toBe(64);
});
