/** How long a reader rests: longer and longer where it fails, and as long as it says where it pauses. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { readOn } from "./read-on.ts";

test("what may be over is tried at once, and the rests begin anew where it is not", async () => {
  const clock = fakeClock();
  let turns = 0;
  const failures: number[] = [];
  const reading = readOn({ clock, idleMs: 1_000, watch: () => () => {} }, {
    turn() {
      turns += 1;
      return Promise.reject(new Error("away"));
    },
    recover: (_, { count }) => void failures.push(count),
  });
  async function after(ms: number): Promise<number> {
    clock.advance(ms);
    await setImmediate();
    return turns;
  }
  expect(await after(0)).toBe(1);
  for (let rest = limits.readerRetryMsMin; rest <= limits.readerRetryMsMax; rest *= 2) await after(rest);
  const before = turns;
  reading.wake();
  reading.hurry();
  expect(await after(0)).toBe(before);
  reading.retry();
  expect(await after(0)).toBe(before + 1);
  expect(failures.at(-1)).toBe(1);
  expect(await after(limits.readerRetryMsMin)).toBe(before + 2);
  await reading.close();
});

test("of failures in a row the first, second, fourth and so on are told, and one for another reason than the one before", async () => {
  const clock = fakeClock();
  const logged: string[] = [];
  let reason = "away";
  const reading = readOn({ clock, idleMs: 1_000, watch: () => () => {} }, {
    turn: () => Promise.reject(new Error(reason)),
    recover: (error, { count, isLogged }) => void (isLogged && logged.push(`${count} ${String(error)}`)),
  });
  await setImmediate();
  for (const next of ["away", "away", "away", "away", "full", "full", "away", "away"]) {
    reason = next;
    clock.advance(limits.readerRetryMsMax);
    await setImmediate();
  }
  expect(logged).toEqual(["1 Error: away", "2 Error: away", "4 Error: away", "6 Error: full", "8 Error: away"]);
  await reading.close();
});

test("no notice cuts a pause short, but who is to hurry does not pause, nor who is awaited when it begins, and a close ends it", async () => {
  const clock = fakeClock();
  let [turns, awaited] = [0, 0];
  const reading = readOn({ clock, idleMs: 1_000, watch: () => () => {} }, {
    turn() {
      turns += 1;
      return Promise.resolve({ pauseMs: 100, unless: () => awaited-- > 0 });
    },
    recover: () => {},
  });
  await setImmediate();
  reading.wake();
  clock.advance(99);
  await setImmediate();
  expect(turns).toBe(1);
  clock.advance(1);
  await setImmediate();
  expect(turns).toBe(2);
  reading.hurry();
  await setImmediate();
  expect(turns).toBe(3);
  awaited = 2;
  reading.hurry();
  await setImmediate();
  expect(turns).toBe(6);
  await reading.close();
  expect(turns).toBe(6);
});
