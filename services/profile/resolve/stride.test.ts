/** A step stays short, whatever its records cost. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { createStride } from "./stride.ts";

const records = [{ body: new Uint8Array(60_000) }, { body: new Uint8Array(40_000) }];

test("createStride() begins small, and settles at what is planned in the time aimed at", () => {
  const stride = createStride();
  expect(stride.bytesMax()).toBe(limits.stepReadBytesMin);
  for (let step = 0; step < 30; step += 1) stride.took(records, 20);
  expect(stride.bytesMax() / (5_000 * limits.stepPlanMsAim)).toBeCloseTo(1, 2);
});

test("createStride() stays within its bounds", () => {
  const stride = createStride();
  for (let step = 0; step < 30; step += 1) stride.took(records, 0);
  expect(stride.bytesMax()).toBe(limits.stepReadBytesMax);
  for (let step = 0; step < 60; step += 1) stride.took(records, 60_000);
  expect(stride.bytesMax()).toBe(limits.stepReadBytesMin);
});
