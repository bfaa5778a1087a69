/** When a gateway reads who may call: often while requests come, seldom where none does, and before the next one. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { pollWhileUsed } from "./poll-while-used.ts";

test("while requests come it reads each accessRefreshMs, and none waits", async () => {
  const { clock, polling, reads } = open();
  for (let turn = 1; turn <= 2 * turnsUntilRest; turn += 1) {
    expect(polling.awaitCurrent()).toBeUndefined();
    await advance(clock, limits.accessRefreshMs);
    expect(reads()).toBe(turn);
  }
});

test("where none comes it reads each accessRestMs", async () => {
  const { clock, reads } = open();
  await rest(clock);
  const before = reads();
  for (let turn = 1; turn <= 3; turn += 1) {
    await advance(clock, limits.accessRestMs - 1);
    expect(reads()).toBe(before + turn - 1);
    await advance(clock, 1);
    expect(reads()).toBe(before + turn);
  }
});

test("the next request waits for one read, which all who come meanwhile share, and then it reads often again", async () => {
  const { clock, polling, reads, hold } = open();
  await rest(clock);
  const before = reads();
  const release = hold();
  const waiting = [polling.awaitCurrent(), polling.awaitCurrent()];
  expect(waiting[0]).toBeInstanceOf(Promise);
  expect(waiting[1]).toBe(waiting[0]);
  expect(reads()).toBe(before + 1);
  release();
  await Promise.all(waiting);
  expect(polling.awaitCurrent()).toBeUndefined();
  await advance(clock, limits.accessRefreshMs);
  expect(reads()).toBe(before + 2);
});

test("a store that does not answer holds the request up for accessKeyWaitMs and no longer", async () => {
  const { clock, polling, hold } = open();
  await rest(clock);
  hold();
  let isOver = false;
  void polling.awaitCurrent()?.then(() => isOver = true);
  await advance(clock, limits.accessKeyWaitMs - 1);
  expect(isOver).toBe(false);
  await advance(clock, 1);
  expect(isOver).toBe(true);
  expect(polling.awaitCurrent()).toBeUndefined();
});

test("close() ends it", async () => {
  const { clock, polling, reads } = open();
  polling.close();
  await rest(clock);
  expect(reads()).toBe(0);
});

const turnsUntilRest = Math.ceil(limits.accessRestAfterMs / limits.accessRefreshMs);

function open() {
  const clock = fakeClock();
  let reads = 0;
  let held: Promise<void> | undefined;
  const polling = pollWhileUsed(clock, async () => {
    reads += 1;
    await held;
  });
  return {
    clock,
    polling,
    reads: () => reads,
    /** The reads from now on answer when it is released. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
  };
}

type FakeClock = ReturnType<typeof fakeClock>;

async function advance(clock: FakeClock, ms: number): Promise<void> {
  clock.advance(ms);
  await setImmediate();
}

async function rest(clock: FakeClock): Promise<void> {
  for (let turn = 0; turn < turnsUntilRest; turn += 1) await advance(clock, limits.accessRefreshMs);
}
