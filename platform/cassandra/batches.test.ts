/** What goes together in one write of a partition. */
import { expect, test } from "vitest";
import { limits } from "../limits.ts";
import { intoBatches } from "./batches.ts";

const large = limits.cassandraBatchBytesAim / 2;

test("intoBatches(): small statements of a partition go together up to their number, in order; other partitions have their own", () => {
  const max = limits.cassandraBatchStatementsMax;
  const writes = Array.from({ length: max + 2 }, (_, at) => writeOf("p", [`${at}`]));
  const batches = intoBatches([...writes.slice(0, 3), writeOf("q", ["other"]), ...writes.slice(3)]);
  expect(batches.map(({ partition, statements }) => [partition, statements.length])).toEqual([["p", max], ["q", 1], ["p", 2]]);
  expect(batches[0]?.statements.map(({ cql }) => cql)).toEqual(Array.from({ length: max }, (_, at) => `${at}`));
});

test("intoBatches(): large ones go together up to their bytes, and what is one write stays one, however large", () => {
  const whole = writeOf("p", ["1", "2", "3"], "x".repeat(large));
  const batches = intoBatches([whole, writeOf("p", ["4"], "x".repeat(large)), writeOf("p", ["5"], "x".repeat(large)), writeOf("p", ["6"])]);
  expect(batches.map(({ statements }) => statements.map(({ cql }) => cql))).toEqual([["1", "2", "3"], ["4", "5"], ["6"]]);
});

function writeOf(partition: string, statements: readonly string[], body = "") {
  return { partition, statements: statements.map((cql) => ({ cql, values: { body } })) };
}
