/** The limiter port: token buckets shared by all callers with the same key. */

export interface Limiter {
  /**
   * Draws from several buckets at once, for several waiting callers: each of the first `granted` of them gets `cost` tokens
   * from every bucket, the others get none from any. Keys are different, and belong to one owner. A bucket that was never asked
   * is full; it refills continuously, `capacity` tokens in `windowMs`, and never holds more than `capacity`. So at most
   * capacity + capacity x T / windowMs are drawn from one in any time T.
   */
  draw(draw: Draw): Promise<Drawn> | Drawn;
  close(): Promise<void>;
}

export interface Bucket {
  /** Tokens when full; also what refills in one window. */
  readonly capacity: number;
  /** Milliseconds in which an empty bucket fills up. */
  readonly windowMs: number;
}

export interface KeyedBucket {
  readonly key: string;
  readonly bucket: Bucket;
}

export interface Draw {
  readonly buckets: readonly KeyedBucket[];
  /** Tokens each. */
  readonly cost: number;
  /** How many wait; a whole number from 1. */
  readonly count: number;
}

export interface Drawn {
  readonly granted: number;
  /** In the order that was asked. */
  readonly buckets: readonly Level[];
}

/** A bucket after a draw. */
export interface Level {
  /** Tokens left, whole or not. */
  readonly tokens: number;
  /** Unix milliseconds at which the bucket is full again if no token is taken before. */
  readonly fullAt: number;
  /** Milliseconds until `cost` tokens are there; 0 where they are. */
  readonly retryAfterMs: number;
}

/** Sums of fractions miss whole numbers by less than this. It is lent, not given: tokens may fall below 0 by it. */
export const rounding = 1e-6;

export function wholeTokens(tokens: number): number {
  return Math.max(0, Math.floor(tokens + rounding));
}
