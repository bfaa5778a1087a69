/** The limiter in memory against the contract, the bucket's arithmetic, and what only this driver promises. */
import { describe, expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { type BucketState, drawTokens } from "./bucket.ts";
import type { Bucket } from "./limiter.ts";
import { take } from "./take.fixture.ts";
import { describeLimiter } from "./limiter-contract.ts";
import { openMemoryLimiter } from "./memory.ts";

const ten = { capacity: 10, windowMs: 1_000 };

describeLimiter("memory", async () => {
  const clock = fakeClock();
  const limiter = openMemoryLimiter({ clock, keysMax: 1_000 });
  return { limiter, clock, dispose: () => limiter.close() };
});

describe("openMemoryLimiter()", () => {
  test("forgets the bucket asked least recently when there are too many", async () => {
    const limiter = openMemoryLimiter({ clock: fakeClock(), keysMax: 2 });
    for (const key of ["a", "b", "a", "c"]) await take(limiter, key, { bucket: ten, cost: 5 });
    expect(await take(limiter, "a", { bucket: ten, cost: 0 })).toMatchObject({ remaining: 0 });
    expect(await take(limiter, "b", { bucket: ten, cost: 0 })).toMatchObject({ remaining: 10 });
  });

  test("forgets nothing while its keys are those it has", async () => {
    const limiter = openMemoryLimiter({ clock: fakeClock(), keysMax: 2 });
    for (const key of ["a", "b", "b", "b"]) await take(limiter, key, { bucket: ten, cost: 2 });
    expect(await take(limiter, "a", { bucket: ten, cost: 0 })).toMatchObject({ remaining: 8 });
  });

  test("is unaffected by steps of the wall clock", async () => {
    const clock = fakeClock();
    let step = 0;
    const limiter = openMemoryLimiter({ clock: { ...clock, now: () => clock.now() + step }, keysMax: 2 });
    await take(limiter, "k", { bucket: ten, cost: 10 });
    step = 3_600_000;
    expect(await take(limiter, "k", { bucket: ten, cost: 1 })).toMatchObject({ admitted: false });
    step = -3_600_000;
    clock.advance(100);
    expect(await take(limiter, "k", { bucket: ten, cost: 1 })).toMatchObject({ admitted: true });
  });
});

describe("drawTokens()", () => {
  /** One bucket for one who waits. */
  function drawOne(before: BucketState | undefined, bucket: Bucket, ask: { cost: number; now: number }) {
    const { granted, buckets: [drawn] } = drawTokens([{ before, bucket }], { ...ask, count: 1 });
    if (drawn === undefined) throw new Error("Expected a bucket");
    return { admitted: granted === 1, ...drawn };
  }

  test("never trusts a clock that steps back: nothing refills, nothing is lost", () => {
    const spent = drawOne(undefined, ten, { cost: 10, now: 5_000 });
    const back = drawOne(spent.state, ten, { cost: 1, now: 1_000 });
    expect(back).toMatchObject({ admitted: false, retryAfterMs: 100, state: { tokens: 0, at: 5_000 } });
    expect(drawOne(back.state, ten, { cost: 1, now: 5_000 }).admitted).toBe(false);
    expect(drawOne(back.state, ten, { cost: 1, now: 5_100 }).admitted).toBe(true);
  });

  test("admits exactly at `retryAfterMs`, also where the refill is no round fraction", () => {
    const odd = { capacity: 3, windowMs: 1_000 };
    let state = drawOne(undefined, odd, { cost: 3, now: 0 }).state;
    let now = 0;
    for (let round = 0; round < 1_000; round += 1) {
      const refused = drawOne(state, odd, { cost: 1, now });
      expect(refused.admitted).toBe(false);
      now += refused.retryAfterMs;
      const admitted = drawOne(refused.state, odd, { cost: 1, now });
      expect(admitted.admitted).toBe(true);
      state = admitted.state;
    }
  });

  test("counts 250,000 an hour without drift", () => {
    const hourly = { capacity: 250_000, windowMs: 3_600_000 };
    let state = drawOne(undefined, hourly, { cost: 250_000, now: 0 }).state;
    let admitted = 0;
    for (let now = 0; now <= 360_000; now += 7) {
      const draw = drawOne(state, hourly, { cost: 1, now });
      state = draw.state;
      if (draw.admitted) admitted += 1;
    }
    expect(admitted).toBe(Math.floor((359_996 * 250_000) / 3_600_000));
  });
});
