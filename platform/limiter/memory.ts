/** The limiter in memory: exact within one process, bounded in keys. */
import type { Clock } from "../clock.ts";
import { type BucketState, drawTokens } from "./bucket.ts";
import type { Draw, Drawn, Limiter } from "./limiter.ts";

/** Answers at once, and not by promises. */
export interface MemoryLimiter extends Limiter {
  draw(draw: Draw): Drawn;
}

/**
 * Keeps at most `keysMax` buckets. One more makes it forget the bucket asked least recently, which is then full again:
 * too many keys loosen the limits of idle ones and never refuse a caller. Refill follows the monotonic clock.
 */
export function openMemoryLimiter(options: { clock: Clock; keysMax: number }): MemoryLimiter {
  const { clock, keysMax } = options;
  // In the order of the last asking: an entry is taken out and put in again
  const states = new Map<string, BucketState>();

  function draw({ buckets, cost, count }: Draw): Drawn {
    const kept = buckets.map(({ key, bucket }) => ({ bucket, before: states.get(key) }));
    const drawn = drawTokens(kept, { cost, count, now: clock.monotonic() });
    for (const [at, { state }] of drawn.buckets.entries()) keep(buckets[at]?.key ?? "", state);
    const now = Math.ceil(clock.now());
    const levels = drawn.buckets.map(({ state, retryAfterMs, fullAfterMs }) => ({
      tokens: state.tokens,
      fullAt: now + fullAfterMs,
      retryAfterMs,
    }));
    return { granted: drawn.granted, buckets: levels };
  }
  function keep(key: string, state: BucketState): void {
    states.delete(key);
    if (states.size >= keysMax) forgetOldest(states);
    states.set(key, state);
  }
  return {
    draw,
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
