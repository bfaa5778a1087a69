/** Gateways that count each other in a real Redis, and what each admits by itself once Redis does not answer. */
import { setImmediate } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../test/servers/redis.ts";
import { describeWith } from "../../test/servers/require.ts";
import { type Clock, systemClock } from "../clock.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { openGatewayCount } from "./gateway-count.ts";
import { openRedisLimiter, type RedisLimiter } from "./redis.ts";
import { take } from "./take.fixture.ts";

const wide = { capacity: 12, windowMs: 3_600_000 };
const beatMs = 20;
const clock: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms === limits.gatewayBeatMs ? beatMs : ms, callback),
};

/** A gateway's count, by a clock of its own. */
function counting(redis: Redis) {
  const clock = fakeClock();
  let [begun, ended] = [0, 0];
  const heard = {
    evalsha: async (...words: Parameters<Redis["evalsha"]>) => {
      begun += 1;
      return await redis.evalsha(...words).finally(() => ended += 1);
    },
    eval: async (...words: Parameters<Redis["eval"]>) => await redis.eval(...words),
  } as Pick<Redis, "evalsha" | "eval">;
  const gateways = openGatewayCount({ clock, redis: heard, installation: "emptied", expected: 1 });
  return { clock, gateways, isIdle: () => begun === ended };
}

async function beat({ clock, isIdle }: ReturnType<typeof counting>): Promise<void> {
  clock.advance(limits.gatewayBeatMs);
  await expect.poll(isIdle).toBe(true);
  await setImmediate();
}

await describeWith(["redis"], "openGatewayCount()", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server.kill("SIGCONT");
    await server.stop();
  });

  test("a Redis that comes back empty makes no gateway believe that it is alone, until the others had time to speak", async () => {
    const redis = new Redis(server.url);
    const [first, second] = [counting(redis), counting(redis)];
    for (const { gateways } of [first, second]) await gateways.begin();
    await beat(first);
    expect(first.gateways.count).toBe(2);
    await redis.flushall();
    const beats = limits.gatewaySilenceMs / limits.gatewayBeatMs;
    for (let at = 0; at < beats; at += 1) {
      await beat(first);
      expect(first.gateways.count).toBe(2);
    }
    await beat(first);
    expect(first.gateways.count).toBe(1);
    await redis.quit();
  });

  test("each of three gateways admits a third, though nobody said how many there are, and the two that are left a half", async () => {
    const options = { url: server.url, clock, logger: silentLogger, gateways: { installation: "counted", expected: 1 } };
    const all = [await openRedisLimiter(options), await openRedisLimiter(options), await openRedisLimiter(options)];
    // Another installation beside it counts its own
    const other = await openRedisLimiter({ ...options, gateways: { installation: "other", expected: 9 } });
    await expect.poll(() => [...all, other].map(({ gateways }) => gateways)).toEqual([3, 3, 3, 1]);
    const [first, second, third] = all as [RedisLimiter, RedisLimiter, RedisLimiter];
    await third.close();
    await expect.poll(() => [first.gateways, second.gateways]).toEqual([2, 2]);
    await server.kill("SIGSTOP");
    for (const limiter of [first, second]) {
      expect(await take(limiter, "limit:{w}:counted", { bucket: wide, cost: 6 })).toMatchObject({ admitted: true, remaining: 0 });
      expect((await take(limiter, "limit:{w}:counted", { bucket: wide, cost: 1 })).admitted).toBe(false);
    }
    await server.kill("SIGCONT");
    await Promise.all([first.close(), second.close(), other.close()]);
  });
});
