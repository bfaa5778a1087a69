/** What is kept of how far lanes were behind. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { createLagLook, openLagMeter } from "./lag.ts";
import { watchLags } from "./lag-history.ts";

const minute = limits.lagSampleMs;

function open() {
  const clock = fakeClock();
  const place = { tail: 0, applied: 0, asked: 0, away: false };
  const look = createLagLook({
    lane: "intake-0",
    tail() {
      place.asked += 1;
      if (place.away) throw new Error("away");
      return place.tail;
    },
    applied: () => place.applied,
  }, clock);
  const meter = openLagMeter(look, clock);
  return { clock, place, kept: watchLags([meter], clock), start: clock.now() };
}

/** Looks are over once what they wait for was given. */
async function pass(clock: ReturnType<typeof fakeClock>, ms: number): Promise<void> {
  clock.advance(ms);
  await new Promise((resolve) => setImmediate(resolve));
}

test("where nobody asks it looks once a minute, and no more", async () => {
  const { clock, place, kept, start } = open();
  place.tail = 7;
  for (let minutes = 0; minutes < 3; minutes += 1) await pass(clock, minute);
  expect(place.asked).toBe(3);
  expect(kept.history()).toEqual([{
    lane: "intake-0",
    samples: [1, 2, 3].map((at) => ({ at: start + at * minute, records: 7, seconds: (at - 1) * minute / 1_000 })),
  }]);
  kept.close();
  await pass(clock, minute);
  expect(place.asked).toBe(3);
});

test("of a minute in which somebody asked it keeps the worst that was seen, and looks no more itself", async () => {
  const { clock, place, kept, start } = open();
  await kept.lags();
  place.tail = 9;
  await pass(clock, 1_000);
  await kept.lags();
  place.applied = 9;
  await pass(clock, 1_000);
  expect(await kept.lags()).toEqual([{ lane: "intake-0", records: 0, seconds: 0 }]);
  expect(kept.history()).toMatchObject([{ lane: "intake-0", samples: [{ at: start, records: 9 }] }]);
  kept.close();
});

test("a minute in which it could not look has no sample, and what is older than its room goes", async () => {
  const { clock, place, kept, start } = open();
  await pass(clock, minute);
  place.away = true;
  await pass(clock, minute);
  place.away = false;
  await pass(clock, minute);
  expect(kept.history()[0]?.samples.map(({ at }) => at - start)).toEqual([minute, 3 * minute]);
  for (let minutes = 0; minutes < limits.lagSamplesMax; minutes += 1) await pass(clock, minute);
  expect(kept.history()[0]?.samples).toHaveLength(limits.lagSamplesMax);
  expect(kept.history()[0]?.samples[0]?.at).toBe(start + 4 * minute);
  kept.close();
});
