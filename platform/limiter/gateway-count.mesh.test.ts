/** Gateways that count each other in a real Redis, and what each admits by itself once Redis does not answer. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type RedisServer, startRedis } from "../../test/servers/redis.ts";
import { describeWith } from "../../test/servers/require.ts";
import { type Clock, systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { openRedisLimiter, type RedisLimiter } from "./redis.ts";
import { take } from "./take.fixture.ts";

const wide = { capacity: 12, windowMs: 3_600_000 };
const beatMs = 20;
const clock: Clock = {
  ...systemClock,
  after: (ms, callback) => systemClock.after(ms === limits.gatewayBeatMs ? beatMs : ms, callback),
};

await describeWith(["redis"], "openGatewayCount()", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(async () => {
    await server.kill("SIGCONT");
    await server.stop();
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
