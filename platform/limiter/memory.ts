/** The limiter in memory: exact within one process, bounded in keys. */
import type { Clock } from "../clock.ts";
import { type BucketState, drawTokens } from "./bucket.ts";
import type { Limiter } from "./limiter.ts";

/**
 * Keeps at most `keysMax` buckets. One more makes it forget the bucket asked least recently, which is then full again:
 * too many keys loosen the limits of idle ones and never refuse anybody. Refill follows the monotonic clock.
 */
export function openMemoryLimiter(options: { clock: Clock; keysMax: number }): Limiter {
  const { clock, keysMax } = options;
  // In the order of the last asking: an entry is taken out and put in again
  const states = new Map<string, BucketState>();
  return {
    take(key, bucket, cost) {
      const draw = drawTokens(states.get(key), bucket, { cost, now: clock.monotonic() });
      states.delete(key);
      if (states.size >= keysMax) forgetOldest(states);
      states.set(key, draw.state);
      const { admitted, remaining, retryAfterMs } = draw;
      return { admitted, remaining, retryAfterMs, fullAt: Math.ceil(clock.now()) + draw.fullAfterMs };
    },
    async close() {
      states.clear();
    },
  };
}

function forgetOldest(states: Map<string, BucketState>): void {
  for (const key of states.keys()) {
    states.delete(key);
    return;
  }
}
