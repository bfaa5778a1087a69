/** Steps that follow each other are made of what came meanwhile. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { restMs, transactionRestMs } from "./rest.ts";

const many = limits.manyRecords;
const small = limits.smallStepsBytes;

test.each([
  { what: "a step of one record", records: 1, rest: limits.stepsApartMs - 20 },
  { what: "a step of several", records: 2, rest: limits.stepsApartMs - 20 },
  { what: "one of nearly many", records: many - 1, rest: limits.stepsApartMs - 20 },
  { what: "one of many small ones", records: many, rest: limits.smallStepsApartMs - 20 },
  { what: "one of many that are no more than small together", records: many, bytes: small / many, rest: limits.smallStepsApartMs - 20 },
  { what: "one of many", records: many, bytes: small / many + 1, rest: limits.manyStepsApartMs - 20 },
  {
    what: "one of a quarter of many, where four partitions share them",
    records: many / 4,
    partitions: 4,
    rest: limits.smallStepsApartMs - 20,
  },
  {
    what: "one that would be small, were there no other partitions",
    records: many,
    bytes: small / many,
    partitions: 4,
    rest: limits.manyStepsApartMs - 20,
  },
  { what: "one of fewer", records: many / 4 - 1, partitions: 4, rest: limits.stepsApartMs - 20 },
  { what: "one of one record, however many partitions there are", records: 1, partitions: 2 * many, rest: limits.stepsApartMs - 20 },
  { what: "one that took long", records: 64, tookMs: 5_000, rest: 0 },
  { what: "one of more than half of the records of a read", records: limits.stepRecordsMax / 2 + 1, bytes: 1, rest: 0 },
  { what: "one of more than half of its bytes", records: 2, bytes: limits.stepReadBytesMax / 4 + 1, rest: 0 },
])("restMs() after $what is $rest ms", ({ records, bytes = 100, tookMs = 20, partitions = 1, rest }) => {
  const step = Array.from({ length: records }, () => ({ body: new Uint8Array(bytes) }));
  expect(restMs(step, { tookMs, partitions })).toBe(rest);
});

test.each([
  { what: "one record", records: 1, workspaces: 1, changes: 1, tookMs: 10, rest: 0 },
  { what: "few changes", records: 2, workspaces: 2, changes: 3, tookMs: 10, rest: limits.transactionsApartMs - 10 },
  { what: "some in each of its workspaces", records: 2, workspaces: 2, changes: 2 * limits.workspaceChangesFew, tookMs: 10, rest: 0 },
  { what: "nothing to do", records: 2, workspaces: 0, changes: 0, tookMs: 10, rest: 0 },
  { what: "few that took long", records: 2, workspaces: 2, changes: 3, tookMs: limits.transactionsApartMs + 1, rest: 0 },
])("transactionRestMs() after a step of $what is $rest ms", ({ rest, ...step }) => {
  expect(transactionRestMs(step)).toBe(rest);
});
