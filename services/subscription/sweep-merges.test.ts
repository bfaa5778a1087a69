/** What the sweep takes for over, with a wall clock that jumps. */
import { expect, test } from "vitest";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { limits } from "../../platform/limits.ts";
import { silentLogger } from "../../platform/logger.ts";
import { sweepRegularly } from "./sweep-merges.ts";

const [yes, no] = [true, false].map((answer) => () => Promise.resolve(answer)) as [() => Promise<boolean>, () => Promise<boolean>];

test("sweepRegularly() takes no merge for over that a jump of the clock makes look old", () => {
  const dayMs = 24 * 3_600_000;
  const steady = fakeClock();
  const clock = { ...steady, aheadMs: 0, now: () => steady.now() + clock.aheadMs };
  const swept: number[] = [];
  const sweep = ({ now }: { readonly now: number }) => Promise.resolve(swept.push(now));
  const stop = sweepRegularly({ store: { sweep }, isApplied: yes, isBlocked: no, clock, logger: silentLogger });
  clock.aheadMs = 8 * dayMs;
  steady.advance(limits.frozenSweepMs);
  expect(swept).toEqual([steady.now() - limits.frozenGraceMs]);
  clock.aheadMs = 0;
  steady.advance(limits.frozenSweepMs);
  expect(swept.at(-1)).toBe(steady.now() - limits.frozenGraceMs);
  stop();
});

test("sweepRegularly() takes a user for free once its lane is applied and nothing of it waits for a human", async () => {
  const clock = fakeClock();
  let [isAppliedNow, isBlocked] = [false, true];
  let isFree: ((workspaceId: string, userId: string) => Promise<boolean>) | undefined;
  const stop = sweepRegularly({
    store: {
      sweep(_, sweeping) {
        isFree = sweeping.isFree;
        return Promise.resolve(0);
      },
    },
    isApplied: (workspaceId, users) => Promise.resolve(isAppliedNow && workspaceId === "w" && users[0] === "u"),
    isBlocked: () => Promise.resolve(isBlocked),
    clock,
    logger: silentLogger,
  });
  clock.advance(limits.frozenSweepMs);
  expect(await isFree?.("w", "u")).toBe(false);
  isAppliedNow = true;
  expect(await isFree?.("w", "u")).toBe(false);
  isBlocked = false;
  expect(await isFree?.("w", "u")).toBe(true);
  stop();
});
