/** The limiter in Redis: buckets for all gateways, and ones of its own for each while Redis does not answer. */
import { setImmediate } from "node:timers";
import { Redis } from "ioredis";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { openBreaker } from "./breaker.ts";
import { checkDraw } from "./bucket.ts";
import { openGatewayCount } from "./gateway-count.ts";
import type { Draw, Drawn, Limiter } from "./limiter.ts";
import { openMemoryLimiter } from "./memory.ts";
import { readScript } from "./script.ts";
import { openSharedDraws } from "./shared-draws.ts";

export interface RedisLimiter extends Limiter {
  /** Whether buckets are shared at this moment; false while Redis does not answer. */
  readonly shared: boolean;
  /** How many share them, as far as this process knows. */
  readonly gateways: number;
}

export interface RedisLimiterOptions {
  /** `redis://[user:password@]host:port[/database]`, or `rediss://` for TLS. */
  readonly url: string;
  /** PEM texts: the authority of the server, and our own certificate where it asks for one. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  readonly clock: Clock;
  readonly logger: Logger;
  /** The gateways that share the limits. While Redis is away each admits 1 / their number of each capacity, which keeps the sum. */
  readonly gateways?: {
    readonly installation: string;
    /** How many there are, until Redis was first asked. */
    readonly expected: number;
  };
  /** Tests: the time of the buckets in milliseconds, instead of that of Redis. */
  readonly redisTime?: () => number;
}

/**
 * Opens the limiter; waits for the first connection no longer than `limiterConnectMs` and goes on without it.
 * A request asks Redis once at most, however many buckets it needs; all that wait ask together.
 * Nothing throws because of Redis. A Redis that hangs or died costs the calls that are under way
 * `limiterAnswerMsMax` at most; from then on, until a probe in the background succeeds, buckets in memory answer at once.
 * A bucket is a key of Redis and must carry the workspace in braces, which keeps its buckets on one node of a cluster.
 */
export async function openRedisLimiter(options: RedisLimiterOptions): Promise<RedisLimiter> {
  const { clock, logger } = options;
  const redis = connect(options);
  const local = openMemoryLimiter({ clock, keysMax: limits.limiterLocalKeysMax });
  const { installation, expected } = options.gateways ?? { installation: "", expected: 1 };
  const gateways = openGatewayCount({ clock, redis, installation, expected });
  const breaker = openBreaker({
    clock,
    probeEveryMs: limits.limiterProbeMs,
    // The script itself: a replica, or a Redis without memory, answers a PING and takes no write
    probe: () =>
      inTime(clock, ask([{ buckets: [{ key: "limit:{heddle}:probe", bucket: { capacity: 1, windowMs: 1 } }], cost: 0, count: 1 }])),
    changed(state) {
      if (state.closed) logger.info("limiter_shared");
      else logger.warn("limiter_local", { cause: String(state.error) });
    },
  });

  const ask = openQuestions(redis, options);
  function drawLocal({ buckets, cost, count }: Draw): Drawn {
    // Never so small that the cost would never be admitted
    const own = buckets.map(({ key, bucket }) => {
      const capacity = Math.max(bucket.capacity / gateways.count, Math.min(cost, bucket.capacity));
      return { key, bucket: { ...bucket, capacity } };
    });
    return local.draw({ buckets: own, cost, count });
  }
  async function askOrTrip(draws: readonly Draw[]): Promise<readonly Drawn[]> {
    // A call that waited for others may find that Redis has gone meanwhile
    if (!breaker.closed) return draws.map(drawLocal);
    try {
      return await inTime(clock, ask(draws));
    } catch (error) {
      breaker.trip(error);
      return draws.map(drawLocal);
    }
  }
  const shared = openSharedDraws(askOrTrip, { callersMax: limits.limiterCallersMax, drawsMax: limits.limiterDrawsMax });
  async function draw(asked: Draw): Promise<Drawn> {
    checkDraw(asked);
    if (!breaker.closed) return drawLocal(asked);
    if (asked.count === 1) return await shared(asked);
    const [drawn] = await askOrTrip([asked]);
    return drawn as Drawn;
  }

  await firstConnection(redis, { clock, probe: breaker.probe });
  if (options.gateways !== undefined) await gateways.begin();
  return {
    get shared() {
      return breaker.closed;
    },
    get gateways() {
      return gateways.count;
    },
    draw,
    async close() {
      breaker.end();
      await gateways.close();
      redis.disconnect();
      await local.close();
    },
  };
}

/** As tried in the field: the client's own defaults wait seconds for a Redis that hangs or died. */
function connect({ url, tls }: Pick<RedisLimiterOptions, "url" | "tls">): Redis {
  const redis = new Redis(url, {
    ...(tls && { tls }),
    lazyConnect: true,
    // Clears away commands that no caller waits for any more
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

async function firstConnection(redis: Redis, deps: { clock: Clock; probe(): Promise<void> }): Promise<void> {
  const tried = Promise.withResolvers<void>();
  const cancel = deps.clock.after(limits.limiterConnectMs, tried.resolve);
  redis.connect().then(tried.resolve, () => tried.resolve());
  await tried.promise;
  cancel();
  await deps.probe();
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

type Ask = (draws: readonly Draw[]) => Promise<readonly Drawn[]>;

/** All draws in one call of Redis; one call for each, which is one owner's, where Redis keeps the owners on several nodes. */
function openQuestions(redis: Redis, options: RedisLimiterOptions): Ask {
  let isCluster = false;
  return async (draws) => {
    if (!isCluster) {
      try {
        return await runDraws(redis, draws, options);
      } catch (error) {
        if (draws.length === 1 || !(error instanceof Error && error.message.startsWith("CROSSSLOT"))) throw error;
        isCluster = true;
      }
    }
    return (await Promise.all(draws.map((draw) => runDraws(redis, [draw], options)))).flat();
  };
}

/** One call of Redis, whose time it is unless a test says another. */
async function runDraws(redis: Redis, draws: readonly Draw[], { clock, redisTime }: RedisLimiterOptions): Promise<readonly Drawn[]> {
  const keys = draws.flatMap(({ buckets }) => buckets.map(({ key }) => key));
  const terms = draws.flatMap(({ buckets, cost, count }) => [
    buckets.length,
    cost,
    count,
    ...buckets.flatMap(({ bucket }) => [bucket.capacity, bucket.windowMs]),
  ]);
  const numbers = (await runBuckets(redis, keys, [redisTime?.() ?? "", ...terms])).map(Number).values();
  const now = Math.ceil(clock.now());
  function next(): number {
    return numbers.next().value ?? 0;
  }
  return draws.map(({ buckets }) => ({
    granted: next(),
    buckets: buckets.map(() => ({ tokens: next(), retryAfterMs: next(), fullAt: now + next() })),
  }));
}

const runBuckets = readScript("bucket.lua");
