/** A step stays short, whatever its records cost. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { createStride, restMs } from "./stride.ts";

const records = [{ body: new Uint8Array(60_000) }, { body: new Uint8Array(40_000) }];

test("createStride() begins small, and settles at what is planned in the time aimed at", () => {
  const stride = createStride();
  expect(stride.bytesMax()).toBe(limits.passBytesMin);
  for (let step = 0; step < 30; step += 1) stride.took(records, 20);
  expect(stride.bytesMax() / (5_000 * limits.passPlanMsAim)).toBeCloseTo(1, 2);
});

test("createStride() stays within its bounds", () => {
  const stride = createStride();
  for (let step = 0; step < 30; step += 1) stride.took(records, 0);
  expect(stride.bytesMax()).toBe(limits.passBytesMax);
  for (let step = 0; step < 60; step += 1) stride.took(records, 60_000);
  expect(stride.bytesMax()).toBe(limits.passBytesMin);
});

test.each([
  { what: "a step of one record", records: 1, bytes: 100, tookMs: 20, rest: 0 },
  { what: "a step of several", records: 2, bytes: 100, tookMs: 20, rest: 20 * limits.stepRestTimes },
  { what: "one that took long", records: 64, bytes: 100, tookMs: 5_000, rest: limits.stepRestMsMax },
  { what: "one of more than half of a read", records: limits.passRecordsMax / 2 + 1, bytes: 1, tookMs: 20, rest: 0 },
  { what: "one of many bytes", records: 2, bytes: limits.stepRestBytesMax / 2 + 1, tookMs: 20, rest: 0 },
])("restMs() after $what is $rest ms", ({ records, bytes, tookMs, rest }) => {
  const step = Array.from({ length: records }, () => ({ body: new Uint8Array(bytes) }));
  expect(restMs(step, tookMs)).toBe(rest);
});
