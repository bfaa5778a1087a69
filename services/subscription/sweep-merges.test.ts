/** What the sweep takes for over, with a wall clock that jumps. */
import { expect, test } from "vitest";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { limits } from "../../platform/limits.ts";
import { silentLogger } from "../../platform/logger.ts";
import { sweepRegularly } from "./sweep-merges.ts";

test("sweepRegularly() takes no merge for over that a jump of the clock makes look old", () => {
  const dayMs = 24 * 3_600_000;
  const steady = fakeClock();
  const clock = { ...steady, aheadMs: 0, now: () => steady.now() + clock.aheadMs };
  const swept: number[] = [];
  const sweep = (over: number) => Promise.resolve(void swept.push(over));
  const stop = sweepRegularly({ sweep } as never, { clock, logger: silentLogger });
  clock.aheadMs = 8 * dayMs;
  steady.advance(limits.frozenSweepMs);
  expect(swept).toEqual([steady.now() - limits.frozenGraceMs]);
  clock.aheadMs = 0;
  steady.advance(limits.frozenSweepMs);
  expect(swept.at(-1)).toBe(steady.now() - limits.frozenGraceMs);
  stop();
});
