/** A backup waits while what was accepted is being applied, and not for ever. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { restPatience } from "./rest-patience.ts";

const soon = limits.backupWaitMs;

test("it waits for as long as something of what was there is applied", () => {
  const patience = restPatience({ ends: [1_000, 50], applied: [0, 50] }, 0);
  for (let turn = 1; turn <= 10; turn += 1) {
    expect(patience.isOver({ ends: [2_000, 50], applied: [turn * 100, 50] }, turn * soon)).toBe(false);
  }
  expect(patience.isFirstLookApplied).toBe(true);
});

test("it gives up where nothing moves", () => {
  const patience = restPatience({ ends: [1_000], applied: [10] }, 0);
  expect(patience.isOver({ ends: [1_000], applied: [10] }, soon)).toBe(false);
  expect(patience.isOver({ ends: [1_000], applied: [10] }, soon + 1)).toBe(true);
  expect(patience.isFirstLookApplied).toBe(false);
});

test("what comes later does not keep it waiting", () => {
  const patience = restPatience({ ends: [10], applied: [10] }, 0);
  expect(patience.isFirstLookApplied).toBe(true);
  expect(patience.isOver({ ends: [500], applied: [400] }, soon)).toBe(false);
  expect(patience.isOver({ ends: [900], applied: [800] }, soon + 1)).toBe(true);
});

test("a lane that was put back counts for nothing", () => {
  const patience = restPatience({ ends: [100], applied: [50] }, 0);
  expect(patience.isOver({ ends: [100], applied: [40] }, soon + 1)).toBe(true);
});
