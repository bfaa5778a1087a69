/** The lag of a service's lanes in the mesh is that of the lane that is furthest behind. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { openLanesLag } from "./lanes-lag.ts";

test("a lane that stands still is seen, however far the others are", async () => {
  const clock = fakeClock();
  const places = new Map([[4, { tail: 10, applied: 10 }], [5, { tail: 20, applied: 20 }], [6, { tail: 3, applied: 3 }]]);
  const lag = openLanesLag({ service: "subscription", lanes: [4, 5], heard: (lane) => places.get(lane) ?? { tail: 0, applied: 0 } }, clock);
  expect(await lag.read()).toEqual({ lane: "subscription", records: 0, seconds: 0 });
  places.set(4, { tail: 17, applied: 10 });
  expect(await lag.read()).toEqual({ lane: "subscription", records: 7, seconds: 0 });
  clock.advance(3_000);
  places.set(5, { tail: 40, applied: 40 });
  // Of another service
  places.set(6, { tail: 900, applied: 3 });
  expect(await lag.read()).toEqual({ lane: "subscription", records: 7, seconds: 3 });
  places.set(4, { tail: 17, applied: 17 });
  expect(await lag.read()).toEqual({ lane: "subscription", records: 0, seconds: 0 });
  lag.close();
});

test("a lane that was put further than steps sent is not behind", async () => {
  const lag = openLanesLag({ service: "subscription", lanes: [4], heard: () => ({ tail: 10, applied: 12 }) }, fakeClock());
  expect(await lag.read()).toEqual({ lane: "subscription", records: 0, seconds: 0 });
  lag.close();
});

test("however many lanes there are, one timer looks at them", async () => {
  const clock = fakeClock();
  let timers = 0;
  const counting = { ...clock, after: (ms: number, work: () => void) => (timers += 1, clock.after(ms, work)) };
  const lanes = Array.from({ length: 64 }, (_, lane) => lane);
  const lag = openLanesLag({ service: "subscription", lanes, heard: () => ({ tail: 1, applied: 1 }) }, counting);
  await lag.read();
  clock.advance(limits.lagLookMs);
  expect(timers).toBe(2);
  lag.close();
});
