/** Many gateways that share draws before one set of buckets: no caller is admitted beyond the promise, and few questions are asked. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import type { Draw, Drawn } from "./limiter.ts";
import { openMemoryLimiter } from "./memory.ts";
import { openSharedDraws } from "./shared-draws.ts";

const ten = { capacity: 10, windowMs: 1_000 };
const bounds = { callersMax: 100, drawsMax: 100 };
const draw = { buckets: [{ key: "k", bucket: ten }], cost: 1 };

/** Answers questions when the test says so. */
function slowBuckets() {
  const clock = fakeClock();
  const buckets = openMemoryLimiter({ clock, keysMax: 10 });
  const asked: { question: readonly Draw[]; answer(): void; fail(): void }[] = [];
  const ask = (question: readonly Draw[]) =>
    new Promise<readonly Drawn[]>((resolve, reject) => {
      asked.push({
        question,
        answer: () => resolve(question.map((one) => buckets.draw(one) as Drawn)),
        fail: () => reject(new Error("Gone")),
      });
    });
  return { clock, asked, ask };
}

/** How many callers each draw of each question is for. */
function countsOf(asked: readonly { readonly question: readonly Draw[] }[]): number[][] {
  return asked.map(({ question }) => question.map(({ count }) => count));
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("openSharedDraws() asks once for all who came while a question was under way", async () => {
  const { clock, asked, ask } = slowBuckets();
  const shared = openSharedDraws(ask, bounds);
  const first = shared(draw);
  const others = Array.from({ length: 12 }, () => shared(draw));
  expect(countsOf(asked)).toEqual([[1]]);
  asked[0]?.answer();
  await turn();
  expect(countsOf(asked)).toEqual([[1], [12]]);
  asked[1]?.answer();
  const told = await Promise.all([first, ...others]);
  expect(told.map(({ granted }) => granted)).toEqual([...Array.from({ length: 10 }, () => 1), 0, 0, 0]);
  expect(told.map(({ buckets: [level] }) => level?.tokens)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0, 0, 0, 0]);
  // Each learns when the bucket is full if no other caller comes after it
  const fullAfter = told.map(({ buckets: [level] }) => (level?.fullAt ?? 0) - clock.now());
  expect(fullAfter).toEqual([100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000, 1_000, 1_000, 1_000]);
});

test("openSharedDraws() asks one question at a time, with a draw in it for each of different buckets, terms and costs", async () => {
  const { asked, ask } = slowBuckets();
  const shared = openSharedDraws(ask, bounds);
  const other = { key: "k", bucket: { capacity: 11, windowMs: 1_000 } };
  const first = shared(draw);
  const others = [shared({ ...draw, cost: 0 }), shared({ buckets: [other], cost: 1 }), shared(draw), shared(draw)];
  expect(countsOf(asked)).toEqual([[1]]);
  asked[0]?.answer();
  await first;
  await turn();
  expect(countsOf(asked)).toEqual([[1], [1, 1, 2]]);
  asked[1]?.answer();
  // Each is answered for its own draw: the second has other terms
  const told = await Promise.all(others);
  expect(told.map(({ buckets: [level] }) => level?.tokens)).toEqual([9, 8, 7, 6]);
  expect(asked).toHaveLength(2);
});

test("openSharedDraws() asks for no more than its bounds at once, and where as many draws wait it does not wait for the question before", async () => {
  const { asked, ask } = slowBuckets();
  const shared = openSharedDraws(ask, { callersMax: 2, drawsMax: 2 });
  const keys = ["a", "b", "b", "b", "c", "d", "e"];
  void Promise.all(keys.map((key) => shared({ buckets: [{ key, bucket: ten }], cost: 1 })));
  const questions = () => asked.map(({ question }) => question.map(({ buckets: [of], count }) => `${of?.key}${count}`).join(" "));
  expect(questions()).toEqual(["a1", "b2 c1", "b1 d1"]);
  for (const at of [1, 2]) {
    asked[at]?.answer();
    await turn();
    expect(questions()).toHaveLength(3);
  }
  asked[0]?.answer();
  await turn();
  expect(questions()).toEqual(["a1", "b2 c1", "b1 d1", "e1"]);
});

test("openSharedDraws() fails those who asked together, and asks anew for the next", async () => {
  const { asked, ask } = slowBuckets();
  const shared = openSharedDraws(ask, bounds);
  const [first, second] = [shared(draw), shared(draw)];
  asked[0]?.fail();
  await expect(first).rejects.toThrow("Gone");
  asked[1]?.answer();
  expect((await second).granted).toBe(1);
});

test("openSharedDraws() of many gateways never admit more than capacity + refill x T, and say what is left and when it is full", async () => {
  const step = fc.record({
    gateway: fc.nat(15),
    requests: fc.nat(6),
    answers: fc.nat(8),
    waitMs: fc.oneof(fc.constant(0), fc.nat(30), fc.nat(2_000)),
  });
  const shape = fc.record({ capacity: fc.integer({ min: 1, max: 30 }), windowMs: fc.integer({ min: 10, max: 5_000 }) });
  await fc.assert(
    fc.asyncProperty(shape, fc.array(step, { maxLength: 40, size: "max" }), async (bucket, steps) => {
      const { clock, asked, ask } = slowBuckets();
      const gateways = Array.from({ length: 16 }, () => openSharedDraws(ask, { callersMax: 4, drawsMax: 2 }));
      const admitted: number[] = [];
      const waiting: Promise<void>[] = [];
      let open = 0;
      async function request(at: number): Promise<void> {
        const drawn = await gateways[at]?.({ buckets: [{ key: "k", bucket }], cost: 1 });
        if (drawn?.granted === 1) admitted.push(clock.now());
        expect(drawn?.buckets[0]?.tokens).toBeGreaterThan(-1);
        expect(drawn?.buckets[0]?.tokens).toBeLessThanOrEqual(bucket.capacity);
        const [level] = drawn?.buckets ?? [];
        const fullAfterMs = ((bucket.capacity - (level?.tokens ?? 0)) * bucket.windowMs) / bucket.capacity;
        expect(Math.abs((level?.fullAt ?? 0) - clock.now() - fullAfterMs)).toBeLessThanOrEqual(2);
      }
      async function answer(count: number): Promise<void> {
        for (let done = 0; done < count && open < asked.length; done += 1) {
          asked[open]?.answer();
          open += 1;
          await turn();
        }
      }
      for (const { gateway, requests, answers, waitMs } of steps) {
        for (let at = 0; at < requests; at += 1) waiting.push(request(gateway));
        clock.advance(waitMs);
        await answer(answers);
      }
      while (open < asked.length) await answer(1);
      await Promise.all(waiting);
      for (const [from, start] of admitted.entries()) {
        for (let to = from; to < admitted.length; to += 1) {
          const promised = bucket.capacity + (((admitted[to] ?? 0) - start) * bucket.capacity) / bucket.windowMs;
          expect(to - from + 1).toBeLessThanOrEqual(promised + 0.001);
        }
      }
    }),
    { numRuns: 60 },
  );
});
