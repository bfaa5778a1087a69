/** Waiting for a place, with a clock moved by hand. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { createProgress } from "./progress.ts";

test("wait() resolves when the place is reached, and at once when it was", async () => {
  const progress = createProgress(fakeClock());
  const waiting = [progress.wait(3, 100), progress.wait(5, Infinity)];
  progress.advance(5);
  expect(await Promise.all([...waiting, progress.wait(4, 0)])).toEqual([true, true, true]);
  expect(progress.reached).toBe(5);
});

test("wait() gives up after its time and no earlier", async () => {
  const clock = fakeClock();
  const progress = createProgress(clock);
  const early = progress.wait(1, 100);
  const late = progress.wait(1, 101);
  clock.advance(100);
  progress.advance(1);
  expect([await early, await late]).toEqual([false, true]);
  expect(await progress.wait(2, 0)).toBe(false);
});

test("advance() never moves back", () => {
  const progress = createProgress(fakeClock());
  progress.advance(5);
  progress.advance(3);
  expect(progress.reached).toBe(5);
});
