/** The lag of a service's lanes in the mesh is that of the lane that is furthest behind. */
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
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
