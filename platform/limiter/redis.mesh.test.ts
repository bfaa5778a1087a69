/** The limiter in a real Redis: the contract, the same answers as in memory, and what it does while Redis hangs or is dead. */
import { execFileSync } from "node:child_process";
import * as fc from "fast-check";
import { Redis } from "ioredis";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../test/servers/redis.ts";
import { describeWith } from "../../test/servers/require.ts";
import { type Clock, systemClock } from "../clock.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { describeLimiter } from "./limiter-contract.ts";
import { openMemoryLimiter } from "./memory.ts";
import { take, type Taken } from "./take.fixture.ts";
import { openRedisLimiter, type RedisLimiter } from "./redis.ts";

const ten = { capacity: 10, windowMs: 1_000 };
/** So long that nothing refills during a test. */
const slow = { capacity: 10, windowMs: 3_600_000 };
/** As long as a busy machine may need for an answer. */
const patienceMs = 15_000;

await describeWith(["redis"], "openRedisLimiter()", () => {
  let server: RedisServer;
  let admin: Redis;
  beforeAll(async () => {
    server = await startRedis();
    admin = new Redis(server.url, { retryStrategy: () => 50, maxRetriesPerRequest: null });
    admin.on("error", () => {});
  });
  afterAll(async () => {
    admin.disconnect();
    await server.stop();
  });

  // A test that failed half way leaves no stopped server to the next
  afterEach(() => server.kill("SIGCONT"));

  async function openReal(clock: Clock = patientClock()): Promise<RedisLimiter> {
    await admin.flushall();
    const limiter = await openRedisLimiter({ url: server.url, clock, logger: silentLogger });
    await expect.poll(() => limiter.shared).toBe(true);
    return limiter;
  }

  describeLimiter("redis", async () => {
    await admin.flushall();
    const clock = fakeClock();
    const limiter = await openRedisLimiter({ url: server.url, clock, logger: silentLogger, redisTime: clock.now });
    expect(limiter.shared).toBe(true);
    return { limiter, clock, dispose: () => limiter.close() };
  });

  test("draw() answers as the limiter in memory does, however many clients share the bucket", async () => {
    const clock = fakeClock();
    const options = { url: server.url, clock, logger: silentLogger, redisTime: clock.now };
    const shared = [await openRedisLimiter(options), await openRedisLimiter(options), await openRedisLimiter(options)];
    const ask = fc.record({
      limiter: fc.constantFrom(...shared),
      waitMs: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 40, noNaN: true }), fc.nat(3_000)),
      cost: fc.nat(12),
      key: fc.constantFrom("a", "b"),
    });
    const shape = fc.record({ capacity: fc.integer({ min: 1, max: 50 }), windowMs: fc.integer({ min: 1, max: 5_000 }) });
    await fc.assert(
      fc.asyncProperty(shape, fc.array(ask, { maxLength: 40 }), async (bucket, asks) => {
        await admin.flushall();
        const memory = openMemoryLimiter({ clock, keysMax: 10 });
        for (const { limiter, waitMs, cost, key } of asks) {
          clock.advance(waitMs);
          // Sums of different sizes round apart by less than a millisecond
          expectAlike(await take(limiter, key, { bucket, cost }), await take(memory, key, { bucket, cost }));
        }
      }),
      { numRuns: 100 },
    );
    for (const limiter of shared) await limiter.close();
  });

  test("draw() admits no more than the capacity to many who ask at once", async () => {
    const limiters = [await openReal(), await openReal()];
    const waiting = limiters.flatMap((one) => Array.from({ length: 30 }, () => take(one, "limit:{w}:race", { bucket: slow, cost: 1 })));
    expect((await Promise.all(waiting)).filter((one) => one.admitted)).toHaveLength(10);
    for (const limiter of limiters) await limiter.close();
  });

  test("draw() of 16 gateways on a clock that steps never admits more than capacity + refill x T", async () => {
    await admin.flushall();
    const clock = fakeClock();
    const options = { url: server.url, clock, logger: silentLogger, redisTime: clock.now };
    const gateways = await Promise.all(Array.from({ length: 16 }, () => openRedisLimiter(options)));
    const bucket = { capacity: 25, windowMs: 1_000 };
    const admitted: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      const asked = Array.from(
        { length: 48 },
        (_, at) => gateways[(at * 7 + round) % 16]?.draw({ buckets: [{ key: "limit:{w}:many", bucket }], cost: 1, count: 1 }),
      );
      for (const drawn of await Promise.all(asked)) if (drawn?.granted === 1) admitted.push(clock.now());
      clock.advance([0, 7, 40, 333, 1_500][round % 5] ?? 0);
    }
    const start = admitted[0] ?? 0;
    expect(admitted.length).toBeLessThanOrEqual(25 + ((clock.now() - start) * 25) / 1_000);
    for (const [from, first] of admitted.entries()) {
      const within = admitted.filter((at) => at >= first && at - first <= 1_000).length;
      expect(within, `from ${from}`).toBeLessThanOrEqual(50);
    }
    for (const gateway of gateways) await gateway.close();
  });

  test("draw() of 16 gateways from an hour and its burst, on a clock that also steps back, never admits more than either", async () => {
    const clock = fakeClock();
    // What Redis takes for the time: now and then set back, so that it is behind the true time by `behind`
    let behind = 0;
    const options = { url: server.url, clock, logger: silentLogger, redisTime: () => clock.now() - behind };
    const gateways = await Promise.all(Array.from({ length: 16 }, () => openRedisLimiter(options)));
    const round = fc.record({
      asks: fc.integer({ min: 1, max: 24 }),
      waitMs: fc.oneof(fc.constant(0), fc.nat(300), fc.nat(4_000)),
      backMs: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.nat(2_000), fc.nat(90_000)),
    });
    const terms = fc.record({ hourly: fc.integer({ min: 1, max: 60 }), burst: fc.integer({ min: 1, max: 12 }) });
    await fc.assert(
      fc.asyncProperty(terms, fc.array(round, { maxLength: 12 }), async ({ hourly, burst }, rounds) => {
        await admin.flushall();
        behind = 0;
        const buckets = [
          { key: "limit:{w}:second", bucket: { capacity: burst, windowMs: 1_000 } },
          { key: "limit:{w}:hour", bucket: { capacity: hourly, windowMs: 60_000 } },
        ];
        const admitted: number[] = [];
        for (const { asks, waitMs, backMs } of rounds) {
          const drawn = await Promise.all(
            Array.from({ length: asks }, (_, at) => gateways[(at * 7) % 16]?.draw({ buckets, cost: 1, count: 1 })),
          );
          for (const one of drawn) if (one?.granted === 1) admitted.push(clock.now());
          clock.advance(waitMs);
          behind += backMs;
        }
        expect(gateways.every(({ shared }) => shared)).toBe(true);
        for (const { bucket } of buckets) {
          for (const [from, first] of admitted.entries()) {
            for (const [to, last] of admitted.entries()) {
              const most = bucket.capacity + ((last - first) * bucket.capacity) / bucket.windowMs;
              if (to >= from) expect(to - from + 1).toBeLessThanOrEqual(most + 0.001);
            }
          }
        }
      }),
      { numRuns: 60 },
    );
    for (const gateway of gateways) await gateway.close();
  });

  test("draw() refills with the time of Redis", async () => {
    const limiter = await openReal();
    const quick = { capacity: 10, windowMs: 20_000 };
    expect(await take(limiter, "limit:{w}:quick", { bucket: quick, cost: 10 })).toMatchObject({ admitted: true, remaining: 0 });
    const refused = await take(limiter, "limit:{w}:quick", { bucket: quick, cost: 10 });
    expect(refused.admitted).toBe(false);
    expect(refused.retryAfterMs).toBeLessThanOrEqual(20_000);
    await expect.poll(async () => (await take(limiter, "limit:{w}:quick", { bucket: quick, cost: 1 })).admitted).toBe(true);
    expect(await admin.pttl("limit:{w}:quick")).toBeGreaterThan(60_000);
    expect(await admin.pttl("limit:{w}:quick")).toBeLessThanOrEqual(80_000);
    await limiter.close();
  });

  test("draw() survives that Redis forgot the script", async () => {
    const limiter = await openReal();
    await admin.script("FLUSH");
    expect(await take(limiter, "limit:{w}:script", { bucket: slow, cost: 4 })).toMatchObject({ admitted: true, remaining: 6 });
    expect(limiter.shared).toBe(true);
    await limiter.close();
  });

  test("draw() is refused for one window at most when the clock of Redis steps back", async () => {
    await admin.flushall();
    const clock = fakeClock();
    let step = 3_600_000;
    const limiter = await openRedisLimiter({ url: server.url, clock, logger: silentLogger, redisTime: () => clock.now() + step });
    await take(limiter, "k", { bucket: ten, cost: 10 });
    step = 3_600_000 - 500;
    expect((await take(limiter, "k", { bucket: ten, cost: 1 })).admitted).toBe(false);
    step = 0;
    expect((await take(limiter, "k", { bucket: ten, cost: 1 })).admitted).toBe(false);
    clock.advance(100);
    expect((await take(limiter, "k", { bucket: ten, cost: 1 })).admitted).toBe(true);
    await limiter.close();
  });

  describe("while Redis does not answer", () => {
    test("draw() waits once for a Redis that hangs, then goes on at once with its own share, and shares again after", async () => {
      const events: string[] = [];
      const logger = { ...silentLogger, info: (event: string) => events.push(event), warn: (event: string) => events.push(event) };
      await admin.multi().flushall().zadd("limit:{hang}:gateways", Date.now(), "another").exec();
      const clock = patientClock();
      const limiter = await openRedisLimiter({ url: server.url, clock, logger, gateways: { installation: "hang", expected: 1 } });
      await expect.poll(() => limiter.shared).toBe(true);
      expect(await take(limiter, "limit:{w}:hang", { bucket: slow, cost: 8 })).toMatchObject({ admitted: true, remaining: 2 });
      await server.kill("SIGSTOP");
      clock.hurry();
      const first = await timed(() => take(limiter, "limit:{w}:hang", { bucket: slow, cost: 1 }));
      expect(first.taken).toMatchObject({ admitted: true, remaining: 4 });
      expect(first.ms).toBeGreaterThan(limits.limiterAnswerMsMax - 5);
      for (let round = 0; round < 100; round += 1) await take(limiter, "limit:{w}:hang", { bucket: slow, cost: 0.04 });
      expect((await take(limiter, "limit:{w}:hang", { bucket: slow, cost: 1 })).admitted).toBe(false);
      // Of 102 calls one asked Redis and waited; the rest were answered without it
      expect(clock.waits()).toBe(1);
      expect(limiter.shared).toBe(false);
      clock.probeOn();
      await expect.poll(clock.waits).toBeGreaterThan(1);
      expect(limiter.shared).toBe(false);
      await server.kill("SIGCONT");
      await expect.poll(() => limiter.shared).toBe(true);
      clock.calm();
      expect(await take(limiter, "limit:{w}:hang", { bucket: slow, cost: 0 })).toMatchObject({ admitted: true });
      expect(events).toEqual(["limiter_shared", "limiter_local", "limiter_shared"]);
      await limiter.close();
    });

    test("draw() never throws while Redis is killed and started anew, and finds its buckets again", async () => {
      const clock = patientClock();
      const limiter = await openReal(clock);
      await take(limiter, "limit:{w}:kill", { bucket: slow, cost: 8 });
      // The append-only file is written once a second
      await admin.bgrewriteaof();
      await expect.poll(async () => /aof_rewrite_in_progress:0/.test(await admin.info("persistence"))).toBe(true);
      await server.kill("SIGKILL");
      clock.hurry();
      const other = async () => (await take(limiter, "limit:{w}:other", { bucket: slow, cost: 0 })).admitted;
      for (let round = 0; round < 200; round += 1) expect(await other()).toBe(true);
      // One call asked Redis, and waited no longer than any; the rest were answered without it
      expect(clock.waits()).toBe(1);
      expect(limiter.shared).toBe(false);
      clock.calm();
      clock.probeOn();
      await server.restart();
      await expect.poll(() => limiter.shared).toBe(true);
      expect(await take(limiter, "limit:{w}:kill", { bucket: slow, cost: 0 })).toMatchObject({ remaining: 2 });
      await limiter.close();
    });

    test("draw() blames Redis for no pause of its own process", async () => {
      const clock = patientClock();
      const limiter = await openReal(clock);
      clock.hurry();
      const waiting = take(limiter, "limit:{w}:pause", { bucket: slow, cost: 1 });
      await new Promise((resolve) => setImmediate(resolve));
      const end = performance.now() + limits.limiterAnswerMsMax * 2;
      // While this process stands still, another finds that Redis has come past what was asked
      execFileSync(process.execPath, ["-e", askPing, String(server.port)], { timeout: patienceMs });
      while (performance.now() < end);
      expect(await waiting).toMatchObject({ admitted: true });
      expect(limiter.shared).toBe(true);
      await limiter.close();
    });

    test("opens without Redis, and shares once it is there", async () => {
      await server.kill("SIGKILL");
      const opening = await timed(() => openRedisLimiter({ url: server.url, clock: systemClock, logger: silentLogger }));
      expect(opening.ms).toBeLessThan(limits.limiterConnectMs + 10_000);
      expect(await take(opening.taken, "limit:{w}:late", { bucket: ten, cost: 1 })).toMatchObject({ admitted: true, remaining: 9 });
      await server.restart();
      await expect.poll(() => opening.taken.shared).toBe(true);
      await opening.taken.close();
    });
  });
});

/** Ends when the Redis on this port has answered. */
const askPing =
  `require("node:net").connect(+process.argv[1], "127.0.0.1", function () { this.write("PING\\r\\n"); }).once("data", () => process.exit());`;

/**
 * The system's clock on which no answer of Redis is late, until `hurry`: then answers are due in time as always, waits for
 * them are counted, and no probe goes out by itself before `probeOn`. What is asserted is who waits, not how fast the machine is.
 */
function patientClock(): Clock & { hurry(): void; calm(): void; probeOn(): void; waits(): number } {
  let hurried = false;
  let waited = 0;
  let held: Set<() => void> | undefined;
  function after(ms: number, callback: () => void): () => void {
    if (ms === limits.limiterProbeMs && held) {
      held.add(callback);
      return () => held?.delete(callback);
    }
    if (ms !== limits.limiterAnswerMsMax) return systemClock.after(ms, callback);
    if (hurried) waited += 1;
    return systemClock.after(hurried ? ms : patienceMs, callback);
  }
  return {
    ...systemClock,
    after,
    hurry() {
      [hurried, waited, held] = [true, 0, new Set()];
    },
    calm() {
      hurried = false;
    },
    probeOn() {
      const due = held ?? [];
      held = undefined;
      for (const callback of due) callback();
    },
    waits: () => waited,
  };
}

function expectAlike(one: Taken, other: Taken): void {
  expect([one.admitted, one.remaining]).toEqual([other.admitted, other.remaining]);
  expect(Math.abs(one.retryAfterMs - other.retryAfterMs)).toBeLessThanOrEqual(1);
  expect(Math.abs(one.fullAt - other.fullAt)).toBeLessThanOrEqual(1);
}

async function timed<T>(call: () => Promise<T> | T): Promise<{ taken: T; ms: number }> {
  const start = performance.now();
  const taken = await call();
  return { taken, ms: performance.now() - start };
}
