/** The limiter port: token buckets shared by all who ask with the same key. */

export interface Limiter {
  /**
   * Takes `cost` tokens from the bucket of `key`, all or none. A bucket that was never asked is full; it refills
   * continuously, `capacity` tokens in `windowMs`, and never holds more than `capacity`. So at most
   * capacity + capacity x T / windowMs are admitted in any time T.
   */
  take(key: string, bucket: Bucket, cost: number): Promise<Taken> | Taken;
  close(): Promise<void>;
}

export interface Bucket {
  /** Tokens when full; also what refills in one window. */
  readonly capacity: number;
  /** Milliseconds in which an empty bucket fills up. */
  readonly windowMs: number;
}

export interface Taken {
  readonly admitted: boolean;
  /** Whole tokens left after this call. */
  readonly remaining: number;
  /** Unix milliseconds at which the bucket is full again if nobody asks. */
  readonly fullAt: number;
  /** Milliseconds until `cost` tokens are there; 0 when admitted. */
  readonly retryAfterMs: number;
}
