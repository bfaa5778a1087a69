/** Work that can wait runs while the thread is idle, and not while other work needs it. */
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "./clock.fixture.ts";
import { limits } from "./limits.ts";
import { whenQuiet } from "./quiet.ts";

async function turns(count: number, each = () => {}): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) {
    await setImmediate();
    each();
  }
}

test("it calls back after its time, once the event loop turned with nothing to do, and once", async () => {
  const clock = fakeClock();
  let calls = 0;
  whenQuiet(clock, 5, () => calls += 1);
  await turns(10);
  expect(calls).toBe(0);
  clock.advance(5);
  await turns(10);
  expect(calls).toBe(1);
});

test("while each turn has something to do, it does not; nor once it was stopped", async () => {
  const clock = fakeClock();
  let calls = 0;
  const stop = whenQuiet(clock, 1, () => calls += 1);
  clock.advance(1);
  await turns(20, () => clock.advance(2 * limits.quietTurnMsMax));
  expect(calls).toBe(0);
  stop();
  await turns(10);
  expect(calls).toBe(0);
});
