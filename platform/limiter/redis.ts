/** The limiter in Redis: one bucket for all gateways, and one of its own for each while Redis does not answer. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { setImmediate } from "node:timers";
import { Redis } from "ioredis";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { openBreaker } from "./breaker.ts";
import { checkDraw } from "./bucket.ts";
import type { Bucket, Limiter, Taken } from "./limiter.ts";
import { openMemoryLimiter } from "./memory.ts";

export interface RedisLimiter extends Limiter {
  /** Whether buckets are shared at this moment; false while Redis does not answer. */
  readonly shared: boolean;
}

export interface RedisLimiterOptions {
  /** `redis://[user:password@]host:port[/database]`, or `rediss://` for TLS. */
  readonly url: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The part of each capacity that this process admits on its own while Redis is away: 1 / number of gateways keeps the sum. */
  readonly localShare?: number;
  /** Tests: the time of the buckets in milliseconds, instead of that of Redis. */
  readonly redisTime?: () => number;
}

/**
 * Opens the limiter; waits for the first connection no longer than `limiterConnectMs` and goes on without it.
 * `take` never throws because of Redis. A Redis that hangs or died costs the calls that are under way
 * `limiterAnswerMsMax` at most; from then on, until a probe in the background succeeds, buckets in memory answer at once.
 * A bucket is a key of Redis and must carry the workspace in braces, which keeps its buckets on one node of a cluster.
 */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<RedisLimiter> {
  const { clock, logger, redisTime } = options;
  const redis = connect(options.url);
  const local = openMemoryLimiter({ clock, keysMax: limits.limiterLocalKeysMax });
  const share = options.localShare ?? 1;
  const breaker = openBreaker({
    clock,
    probeEveryMs: limits.limiterProbeMs,
    // The script itself: a replica, or a Redis without memory, answers a PING and takes no write
    probe: () => inTime(clock, draw("limit:{heddle}:probe", { capacity: 1, windowMs: 1 }, 0)),
    changed(state) {
      if (state.closed) logger.info("limiter_shared");
      else logger.warn("limiter_local", { cause: String(state.error) });
    },
  });

  async function draw(key: string, bucket: Bucket, cost: number): Promise<Taken> {
    const time = redisTime ? [redisTime()] : [];
    const drawn = await runScript(redis, [key, bucket.capacity, bucket.windowMs, cost, ...time]);
    const [admitted = 0, remaining = 0, retryAfterMs = 0, fullAfterMs = 0] = drawn;
    return { admitted: admitted === 1, remaining, retryAfterMs, fullAt: Math.ceil(clock.now()) + fullAfterMs };
  }
  function takeLocal(key: string, bucket: Bucket, cost: number): Promise<Taken> | Taken {
    // Never so small that the cost would never be admitted
    const capacity = Math.max(bucket.capacity * share, Math.min(cost, bucket.capacity));
    return local.take(key, { ...bucket, capacity }, cost);
  }

  await firstConnection(redis, { clock, probe: breaker.probe });
  return {
    get shared() {
      return breaker.closed;
    },
    async take(key, bucket, cost) {
      checkDraw(bucket, cost);
      if (!breaker.closed) return takeLocal(key, bucket, cost);
      try {
        return await inTime(clock, draw(key, bucket, cost));
      } catch (error) {
        breaker.trip(error);
        return takeLocal(key, bucket, cost);
      }
    },
    async close() {
      breaker.end();
      redis.disconnect();
      await local.close();
    },
  };
}

/** As tried in the field: the client's own defaults wait seconds for a Redis that hangs or died. */
function connect(url: string): Redis {
  const redis = new Redis(url, {
    lazyConnect: true,
    // Clears away what nobody waits for any more
    commandTimeout: limits.limiterConnectMs,
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    connectTimeout: limits.limiterConnectMs,
    socketTimeout: limits.limiterSilenceMsMax,
    retryStrategy: () => limits.limiterProbeMs,
    connectionName: "heddle",
  });
  // The breaker reports what matters; without a listener the client prints every attempt
  redis.on("error", () => {});
  return redis;
}

async function firstConnection(redis: Redis, parts: { clock: Clock; probe(): Promise<void> }): Promise<void> {
  const tried = Promise.withResolvers<void>();
  const cancel = parts.clock.after(limits.limiterConnectMs, tried.resolve);
  redis.connect().then(tried.resolve, () => tried.resolve());
  await tried.promise;
  cancel();
  await parts.probe();
}

/**
 * Rejects when there was no answer for `limiterAnswerMsMax`. Where this process itself was held up that long, the answer
 * may have arrived unread: what arrived is read before the verdict.
 */
function inTime<T>(clock: Clock, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(limits.limiterAnswerMsMax, () => {
      setImmediate(() => setImmediate(reject, new Error(`Redis did not answer within ${limits.limiterAnswerMsMax} ms`)));
    });
    answer.then(resolve, reject).finally(cancel);
  });
}

const script = readFileSync(new URL("bucket.lua", import.meta.url), "utf8");
const scriptHash = createHash("sha1").update(script).digest("hex");

/** By its hash; Redis forgets scripts when it starts anew, and is then given the text. */
async function runScript(redis: Redis, words: readonly (string | number)[]): Promise<number[]> {
  try {
    return await redis.evalsha(scriptHash, 1, ...words) as number[];
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
    return await redis.eval(script, 1, ...words) as number[];
  }
}
