/** What the sweep takes for over, with a wall clock that jumps, and whom it passes over. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../../platform/clock.fixture.ts";
import { limits } from "../../platform/limits.ts";
import { silentLogger } from "../../platform/logger.ts";
import { type SweepDeps, sweepRegularly } from "./sweep-merges.ts";

const [yes, no] = [true, false].map((answer) => () => Promise.resolve(answer)) as [() => Promise<boolean>, () => Promise<boolean>];

test("sweepRegularly() takes no merge for over that a jump of the clock makes look old", async () => {
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
  await setImmediate();
  steady.advance(limits.frozenSweepMs);
  expect(swept.at(-1)).toBe(steady.now() - limits.frozenGraceMs);
  stop();
});

test("sweepRegularly() takes a user for free once its lane is applied and nothing of it waits for a human", async () => {
  const asked: string[] = [];
  async function freeOf(isApplied: SweepDeps["isApplied"], isBlocked: SweepDeps["isBlocked"]): Promise<boolean[]> {
    const clock = fakeClock();
    const free: boolean[] = [];
    const stop = sweepRegularly({
      store: {
        async sweep(_, { isFree }) {
          for (const userId of ["u", "v"]) free.push(await isFree("w", userId));
          return 0;
        },
      },
      isApplied,
      isBlocked,
      clock,
      logger: silentLogger,
    });
    clock.advance(limits.frozenSweepMs);
    await setImmediate();
    stop();
    return free;
  }
  expect(await freeOf(yes, no)).toEqual([true, true]);
  expect(await freeOf(yes, (_, [user]) => Promise.resolve(user === "u"))).toEqual([false, true]);
  function behind(workspaceId: string, users: readonly string[]): Promise<boolean> {
    asked.push(workspaceId, ...users);
    return Promise.resolve(false);
  }
  expect(await freeOf(behind, no)).toEqual([false, false]);
  // The lane is waited for once a sweep, and not for each of its users
  expect(asked).toEqual(["w", "u"]);
});

test("sweepRegularly() begins no sweep before the one before it has ended", async () => {
  const clock = fakeClock();
  let begun = 0;
  let end: (swept: number) => void = () => {};
  const sweep = () =>
    new Promise<number>((resolve) => {
      begun += 1;
      end = resolve;
    });
  const stop = sweepRegularly({ store: { sweep }, isApplied: yes, isBlocked: no, clock, logger: silentLogger });
  for (let times = 0; times < 3; times += 1) clock.advance(limits.frozenSweepMs);
  expect(begun).toBe(1);
  end(0);
  await setImmediate();
  clock.advance(limits.frozenSweepMs);
  expect(begun).toBe(2);
  stop();
});

test("sweepRegularly() goes on soon where more is over than one sweep takes, and then rests as always", async () => {
  const clock = fakeClock();
  const begun: number[] = [];
  const sweep = ({ max }: { readonly max: number }) => Promise.resolve(begun.push(clock.monotonic()) === 1 ? max : max - 1);
  const stop = sweepRegularly({ store: { sweep }, isApplied: yes, isBlocked: no, clock, logger: silentLogger });
  for (let seconds = 0; seconds < 130; seconds += 1) {
    clock.advance(1_000);
    await setImmediate();
  }
  const first = limits.frozenSweepMs;
  expect(begun).toEqual([first, first + limits.frozenSweepRestMs, 2 * first + limits.frozenSweepRestMs]);
  stop();
});
