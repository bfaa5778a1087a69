/** What every limiter driver must do, sentence by sentence of the port; a driver joins by passing it. */
import * as fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Limiter } from "./limiter.ts";
import { take } from "./take.fixture.ts";

/** A limiter that has never been asked, and the clock it follows. */
export interface LimiterUnderTest {
  readonly limiter: Limiter;
  readonly clock: { now(): number; advance(ms: number): void };
  dispose(): Promise<void>;
}

export function describeLimiter(driver: string, open: () => Promise<LimiterUnderTest>): void {
  describe(`limiter contract: ${driver}`, () => {
    let under: LimiterUnderTest;
    const ten = { capacity: 10, windowMs: 1_000 };
    beforeEach(async () => {
      under = await open();
    });
    afterEach(() => under.dispose());

    test("draw() finds a bucket full that was never asked, and admits exactly its capacity", async () => {
      for (let left = 9; left >= 0; left -= 1) {
        expect(await take(under.limiter, "k", { bucket: ten, cost: 1 })).toMatchObject({
          admitted: true,
          remaining: left,
          retryAfterMs: 0,
        });
      }
      expect(await take(under.limiter, "k", { bucket: ten, cost: 1 })).toMatchObject({ admitted: false, remaining: 0, retryAfterMs: 100 });
    });

    test("draw() takes all or none", async () => {
      await take(under.limiter, "k", { bucket: ten, cost: 6 });
      expect(await take(under.limiter, "k", { bucket: ten, cost: 5 })).toMatchObject({ admitted: false, remaining: 4, retryAfterMs: 100 });
      expect(await take(under.limiter, "k", { bucket: ten, cost: 4 })).toMatchObject({ admitted: true, remaining: 0 });
    });

    test("draw() admits after `retryAfterMs` and not before", async () => {
      await take(under.limiter, "k", { bucket: ten, cost: 10 });
      const { retryAfterMs } = await take(under.limiter, "k", { bucket: ten, cost: 3 });
      expect(retryAfterMs).toBe(300);
      under.clock.advance(retryAfterMs - 1);
      expect((await take(under.limiter, "k", { bucket: ten, cost: 3 })).admitted).toBe(false);
      under.clock.advance(1);
      expect((await take(under.limiter, "k", { bucket: ten, cost: 3 })).admitted).toBe(true);
    });

    test("draw() refills continuously, up to the capacity and no further", async () => {
      await take(under.limiter, "k", { bucket: ten, cost: 10 });
      under.clock.advance(250);
      expect(await take(under.limiter, "k", { bucket: ten, cost: 0 })).toMatchObject({ remaining: 2 });
      under.clock.advance(1_000_000);
      expect(await take(under.limiter, "k", { bucket: ten, cost: 10 })).toMatchObject({ admitted: true, remaining: 0 });
      expect((await take(under.limiter, "k", { bucket: ten, cost: 1 })).admitted).toBe(false);
    });

    test("draw() says when the bucket is full again", async () => {
      expect((await take(under.limiter, "k", { bucket: ten, cost: 0 })).fullAt).toBe(under.clock.now());
      expect((await take(under.limiter, "k", { bucket: ten, cost: 4 })).fullAt).toBe(under.clock.now() + 400);
      under.clock.advance(100);
      expect((await take(under.limiter, "k", { bucket: ten, cost: 20 })).fullAt).toBe(under.clock.now() + 300);
    });

    test("draw() never admits a cost above the capacity, and spends nothing on it", async () => {
      expect(await take(under.limiter, "k", { bucket: ten, cost: 11 })).toMatchObject({ admitted: false, remaining: 10 });
      expect((await take(under.limiter, "k", { bucket: ten, cost: 10 })).admitted).toBe(true);
    });

    test("draw() keeps keys apart, whatever they are called", async () => {
      for (const key of ["a", "b", "a:b", "", "__proto__", "é", "e\u0301", "x".repeat(1_000)]) {
        expect(await take(under.limiter, key, { bucket: ten, cost: 10 })).toMatchObject({ admitted: true });
      }
      expect((await take(under.limiter, "a", { bucket: ten, cost: 1 })).admitted).toBe(false);
    });

    test("draw() holds no more than a capacity that was lowered", async () => {
      await take(under.limiter, "k", { bucket: ten, cost: 1 });
      expect(await take(under.limiter, "k", { bucket: { capacity: 4, windowMs: 1_000 }, cost: 1 })).toMatchObject({
        admitted: true,
        remaining: 3,
      });
    });

    test("draw() throws for a bucket or a cost that makes no sense", async () => {
      const nonsense = [[{ capacity: 0, windowMs: 1 }, 1], [{ capacity: 1, windowMs: 0 }, 1], [ten, -1], [ten, Number.NaN]] as const;
      for (const [bucket, cost] of nonsense) {
        await expect((async () => take(under.limiter, "k", { bucket, cost }))()).rejects.toThrow(RangeError);
      }
    });

    test("draw() gives as many of those who wait as every bucket has tokens for, and the rest nothing", async () => {
      const burst = { key: "b", bucket: { capacity: 4, windowMs: 1_000 } };
      const hour = { key: "h", bucket: { capacity: 10, windowMs: 3_600_000 } };
      const first = await under.limiter.draw({ buckets: [burst, hour], cost: 1, count: 6 });
      expect([first.granted, ...first.buckets.map(({ tokens }) => tokens)]).toEqual([4, 0, 6]);
      under.clock.advance(1_000);
      expect((await under.limiter.draw({ buckets: [burst, hour], cost: 1, count: 3 })).granted).toBe(3);
      under.clock.advance(1_000);
      const last = await under.limiter.draw({ buckets: [burst, hour], cost: 1, count: 4 });
      expect(last.granted).toBe(3);
      // What the hour refused, the burst has kept
      expect(last.buckets[0]?.tokens).toBeCloseTo(1);
      expect(last.buckets[0]?.retryAfterMs).toBe(0);
      expect(last.buckets[1]?.retryAfterMs).toBeGreaterThan(0);
    });

    test("draw() with a cost gives each all of it or nothing", async () => {
      const buckets = [{ key: "k", bucket: ten }];
      const drawn = await under.limiter.draw({ buckets, cost: 3, count: 5 });
      expect([drawn.granted, drawn.buckets[0]?.tokens, drawn.buckets[0]?.retryAfterMs]).toEqual([3, 1, 200]);
      expect((await under.limiter.draw({ buckets, cost: 0, count: 1 })).buckets[0]?.tokens).toBe(1);
    });

    test("draw() throws where there is nothing to draw from, or nobody waits", async () => {
      for (const nonsense of [{ buckets: [], cost: 1, count: 1 }, { buckets: [{ key: "k", bucket: ten }], cost: 1, count: 0 }]) {
        await expect((async () => under.limiter.draw(nonsense))()).rejects.toThrow(RangeError);
      }
    });

    test("draw() never admits more than capacity + refill x T in any time T", async () => {
      const ask = fc.record({ waitMs: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(3_000)), cost: fc.nat(12) });
      const shape = fc.record({ capacity: fc.integer({ min: 1, max: 50 }), windowMs: fc.integer({ min: 1, max: 5_000 }) });
      let round = 0;
      await fc.assert(
        fc.asyncProperty(shape, fc.array(ask, { maxLength: 60, size: "max" }), async (bucket, asks) => {
          round += 1;
          const taken: { at: number; cost: number }[] = [];
          for (const { waitMs, cost } of asks) {
            under.clock.advance(waitMs);
            const { admitted } = await take(under.limiter, `round ${round}`, { bucket, cost });
            if (admitted) taken.push({ at: under.clock.now(), cost });
          }
          expect(worstExcess(taken, bucket)).toBeLessThan(0.001);
        }),
        { numRuns: 200 },
      );
    });
  });
}

/** By how much the worst of all windows passes capacity + refill x T; below 0 where none does. */
function worstExcess(taken: readonly { at: number; cost: number }[], bucket: { capacity: number; windowMs: number }): number {
  let worst = Number.NEGATIVE_INFINITY;
  for (const [index, first] of taken.entries()) {
    let sum = 0;
    for (const { at, cost } of taken.slice(index)) {
      sum += cost;
      worst = Math.max(worst, sum - bucket.capacity - ((at - first.at) * bucket.capacity) / bucket.windowMs);
    }
  }
  return worst;
}
