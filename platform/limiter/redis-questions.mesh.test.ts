/** What is one call of a real Redis: the draws of all who wait, unless it keeps their buckets on several nodes. */
import { Redis } from "ioredis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../test/servers/redis.ts";
import { describeWith } from "../../test/servers/require.ts";
import { fakeClock } from "../clock.fixture.ts";
import { silentLogger } from "../logger.ts";
import { openRedisLimiter, type RedisLimiter } from "./redis.ts";

const hourMs = 3_600_000;

await describeWith(["redis"], "openRedisLimiter()", () => {
  let server: RedisServer;
  let cluster: RedisServer;
  let admin: Redis;
  beforeAll(async () => {
    [server, cluster] = await Promise.all([startRedis(), startRedis({ isCluster: true })]);
    admin = new Redis(server.url);
  });
  afterAll(async () => {
    admin.disconnect();
    await Promise.all([server.stop(), cluster.stop()]);
  });
  beforeEach(() => admin.flushall());

  /** On a clock that stands still no answer is late. */
  function open({ url }: RedisServer): Promise<RedisLimiter> {
    return openRedisLimiter({ url, clock: fakeClock(), logger: silentLogger });
  }
  async function scriptCalls(): Promise<number> {
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await admin.info("commandstats"))?.[1] ?? 0);
  }

  test("draw() asks Redis once for two buckets, and once for all who wait", async () => {
    const limiter = await open(server);
    const buckets = [
      { key: "limit:{w}:second", bucket: { capacity: 40, windowMs: hourMs } },
      { key: "limit:{w}:hour", bucket: { capacity: 10, windowMs: hourMs } },
    ];
    await limiter.draw({ buckets, cost: 1, count: 1 });
    const before = await scriptCalls();
    const drawn = await Promise.all(Array.from({ length: 30 }, () => limiter.draw({ buckets, cost: 1, count: 1 })));
    // The first does not wait for others
    expect(await scriptCalls() - before).toBe(2);
    expect(drawn.filter(({ granted }) => granted === 1)).toHaveLength(9);
    expect(drawn.slice(0, 9).map(({ buckets: [, hour] }) => Math.floor(hour?.tokens ?? -1))).toEqual([8, 7, 6, 5, 4, 3, 2, 1, 0]);
    expect(Math.floor((await limiter.draw({ buckets, cost: 0, count: 1 })).buckets[0]?.tokens ?? -1)).toBe(30);
    await limiter.close();
  });

  test("draw() asks Redis once for all owners who wait, and each gets its own answer", async () => {
    const limiter = await open(server);
    const before = await scriptCalls();
    expect(await leftOfOwners(limiter)).toEqual(leftAtFirst);
    // The first does not wait for others
    expect(await scriptCalls() - before).toBe(2);
    await limiter.close();
  });

  test("draw() asks by owner where Redis keeps owners on several nodes", async () => {
    const limiter = await open(cluster);
    expect(await leftOfOwners(limiter)).toEqual(leftAtFirst);
    expect(await leftOfOwners(limiter)).toEqual(leftAtFirst.map((left) => left - 1));
    expect(limiter.shared).toBe(true);
    await limiter.close();
  });

  /** Whole tokens left to five owners after one draw each, from 5 to 9 in an hour and 10 to 14 in a second bucket. */
  async function leftOfOwners(limiter: RedisLimiter): Promise<number[]> {
    const drawn = await Promise.all(Array.from({ length: 5 }, (_, at) => {
      const buckets = [
        { key: `limit:{w${at}}:hour`, bucket: { capacity: 5 + at, windowMs: hourMs } },
        { key: `limit:{w${at}}:day`, bucket: { capacity: 10 + at, windowMs: hourMs } },
      ];
      return limiter.draw({ buckets, cost: 1, count: 1 });
    }));
    return drawn.flatMap(({ buckets }) => buckets.map(({ tokens }) => Math.floor(tokens)));
  }
  const leftAtFirst = [4, 9, 5, 10, 6, 11, 7, 12, 8, 13];
});
