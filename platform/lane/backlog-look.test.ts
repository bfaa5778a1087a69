/** Looks at what waits, with a clock moved by hand. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { openBacklogLook } from "./backlog-look.ts";

function opened() {
  const clock = fakeClock();
  const state = { looks: 0, waiting: 0, isAway: false };
  const look = openBacklogLook(async () => {
    state.looks += 1;
    await Promise.resolve();
    if (state.isAway) throw new Error("away");
    return { deadLetters: state.waiting };
  }, clock);
  async function pass(ms: number): Promise<number> {
    await setImmediate();
    const before = state.looks;
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100);
      await setImmediate();
    }
    return state.looks - before;
  }
  return { look, state, pass };
}

test("it looks rarely while nothing waits, and often while something does", async () => {
  const { look, state, pass } = opened();
  expect(await look.backlog()).toEqual({ deadLetters: 0 });
  expect(await pass(limits.backlogLookIdleMs * 3)).toBe(3);
  state.waiting = 2;
  expect(await pass(limits.backlogLookIdleMs)).toBe(1);
  expect(look.reason()).toBe("dead letters: 2");
  expect(await pass(limits.backlogLookMs * 4)).toBe(4);
  state.waiting = 0;
  await pass(limits.backlogLookMs);
  expect(look.reason()).toBeUndefined();
  expect(await pass(limits.backlogLookIdleMs)).toBe(1);
});

test("what this process changed is seen soon, and many changes are one look", async () => {
  const { look, state, pass } = opened();
  await pass(1_000);
  state.waiting = 1;
  for (let times = 0; times < 100; times += 1) look.changed();
  expect(await pass(limits.backlogLookMs)).toBe(1);
  expect([look.reason(), await look.backlog()]).toEqual(["dead letters: 1", { deadLetters: 1 }]);
});

test("a change while it looks is looked at again", async () => {
  const { look, state, pass } = opened();
  look.changed();
  state.waiting = 1;
  expect(await pass(limits.backlogLookMs)).toBe(1);
  expect(look.reason()).toBe("dead letters: 1");
});

test("a look that fails tells who asks, keeps what was seen, and is made again", async () => {
  const { look, state, pass } = opened();
  state.waiting = 1;
  await pass(limits.backlogLookIdleMs);
  state.isAway = true;
  await pass(limits.backlogLookMs);
  await expect(look.backlog()).rejects.toThrow("away");
  expect(look.reason()).toBe("dead letters: 1");
  state.isAway = false;
  await pass(limits.backlogLookMs);
  expect(await look.backlog()).toEqual({ deadLetters: 1 });
});

test("once closed it looks no more", async () => {
  const { look, pass } = opened();
  look.close();
  look.changed();
  expect(await pass(limits.backlogLookIdleMs * 2)).toBe(0);
});
