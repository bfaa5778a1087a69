/** The arithmetic of token buckets, without clock and store: what every limiter driver computes. */
import { type Bucket, type Draw, rounding } from "./limiter.ts";

/** What is kept of a bucket. One that is not kept is full. */
export interface BucketState {
  readonly tokens: number;
  /** The time that `tokens` is of; never steps back. */
  readonly at: number;
}

export interface BucketDraw {
  readonly state: BucketState;
  /** Until `cost` tokens are there; for a cost above the capacity, which never is, until the bucket is full. */
  readonly retryAfterMs: number;
  readonly fullAfterMs: number;
}

/** One bucket of a draw as it is kept; undefined: it is full. */
export interface KeptBucket {
  readonly before: BucketState | undefined;
  readonly bucket: Bucket;
}

/**
 * Takes `cost` tokens from every bucket for each of at most `count`, at time `now` (milliseconds of any one clock). A `now`
 * before a state's time counts as that time: nothing refills, nothing is taken away. A bucket whose capacity was lowered
 * holds no more than the new one. Throws RangeError for a bucket, cost or count that makes no sense.
 */
export function drawTokens(
  kept: readonly KeptBucket[],
  ask: { readonly cost: number; readonly count: number; readonly now: number },
): { readonly granted: number; readonly buckets: readonly BucketDraw[] } {
  checkDraw({ buckets: kept, ...ask });
  const full = kept.map(({ before, bucket }) => refilled(before, bucket, ask.now));
  const granted = Math.min(ask.count, ...full.map(({ tokens }) => fitting(tokens, ask.cost)));
  return {
    granted,
    buckets: kept.map(({ bucket }, at) => {
      const held = full[at] as BucketState;
      const tokens = held.tokens - granted * ask.cost;
      const missing = Math.min(ask.cost, bucket.capacity) - tokens;
      return {
        state: { tokens, at: held.at },
        retryAfterMs: missing > rounding || ask.cost > bucket.capacity ? refillMs(bucket, missing) : 0,
        fullAfterMs: refillMs(bucket, bucket.capacity - tokens),
      };
    }),
  };
}

function refilled(before: BucketState | undefined, { capacity, windowMs }: Bucket, now: number): BucketState {
  const at = Math.max(now, before?.at ?? now);
  const more = before ? ((at - before.at) * capacity) / windowMs : 0;
  return { tokens: Math.min(capacity, (before?.tokens ?? capacity) + more), at };
}

/** How many times the cost is there. */
function fitting(tokens: number, cost: number): number {
  return cost === 0 ? Number.POSITIVE_INFINITY : Math.max(0, Math.floor((tokens + rounding) / cost));
}

/** Whole milliseconds in which so many tokens come. */
function refillMs({ capacity, windowMs }: Bucket, tokens: number): number {
  return Math.max(0, Math.ceil((tokens * windowMs) / capacity - rounding));
}

/** Throws RangeError for a bucket, cost or count that makes no sense. */
export function checkDraw({ buckets, cost, count }: Pick<Draw, "cost" | "count"> & { buckets: readonly { bucket: Bucket }[] }): void {
  if (buckets.length === 0) throw new RangeError("Expected a bucket to draw from, got none");
  for (const { bucket } of buckets) {
    if (!(bucket.capacity > 0 && bucket.windowMs > 0 && Number.isFinite(bucket.capacity / bucket.windowMs))) {
      throw new RangeError(`Expected a bucket above 0, got ${bucket.capacity} in ${bucket.windowMs} ms`);
    }
  }
  if (!(cost >= 0 && Number.isFinite(cost))) throw new RangeError(`Expected a cost from 0, got ${cost}`);
  if (!(Number.isInteger(count) && count > 0)) throw new RangeError(`Expected a count from 1, got ${count}`);
}
