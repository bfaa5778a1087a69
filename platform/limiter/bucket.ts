/** The arithmetic of a token bucket, without clock and store: what every limiter driver computes. */
import type { Bucket } from "./limiter.ts";

/** What is kept of a bucket. One that is not kept is full. */
export interface BucketState {
  readonly tokens: number;
  /** The time that `tokens` is of; never steps back. */
  readonly at: number;
}

export interface Draw {
  readonly state: BucketState;
  readonly admitted: boolean;
  readonly remaining: number;
  /** Until `cost` tokens are there; for a cost above the capacity, which never is, until the bucket is full. */
  readonly retryAfterMs: number;
  readonly fullAfterMs: number;
}

/**
 * Takes `cost` tokens, all or none, at time `now` (milliseconds of any one clock). A `now` before the state's time
 * counts as that time: nothing refills, nothing is taken away. A bucket whose capacity was lowered holds no more than
 * the new one. Throws RangeError for a bucket or cost that makes no sense.
 */
export function drawTokens(before: BucketState | undefined, bucket: Bucket, ask: { cost: number; now: number }): Draw {
  checkDraw(bucket, ask.cost);
  const { capacity, windowMs } = bucket;
  const at = Math.max(ask.now, before?.at ?? ask.now);
  const refilled = before ? ((at - before.at) * capacity) / windowMs : 0;
  const held = Math.min(capacity, (before?.tokens ?? capacity) + refilled);
  const admitted = ask.cost <= held + rounding;
  const tokens = admitted ? held - ask.cost : held;
  const missing = admitted ? 0 : Math.min(ask.cost, capacity) - tokens;
  return {
    state: { tokens, at },
    admitted,
    remaining: Math.max(0, Math.floor(tokens + rounding)),
    retryAfterMs: wholeMs((missing * windowMs) / capacity),
    fullAfterMs: wholeMs(((capacity - tokens) * windowMs) / capacity),
  };
}

/** Sums of fractions miss whole numbers by less than this. It is lent, not given: tokens may fall below 0 by it. */
const rounding = 1e-6;

function wholeMs(ms: number): number {
  return Math.max(0, Math.ceil(ms - rounding));
}

/** Throws RangeError for a bucket or cost that makes no sense. */
export function checkDraw(bucket: Bucket, cost: number): void {
  if (!(bucket.capacity > 0 && bucket.windowMs > 0 && Number.isFinite(bucket.capacity / bucket.windowMs))) {
    throw new RangeError(`Expected a bucket above 0, got ${bucket.capacity} in ${bucket.windowMs} ms`);
  }
  if (!(cost >= 0 && Number.isFinite(cost))) throw new RangeError(`Expected a cost from 0, got ${cost}`);
}
