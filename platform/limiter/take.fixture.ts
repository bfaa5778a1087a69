/** What one caller gets of one bucket: a limiter as tests ask it. */
import { type Bucket, type Drawn, type Limiter, wholeTokens } from "./limiter.ts";

export interface Taken {
  readonly admitted: boolean;
  /** Whole tokens left after this call. */
  readonly remaining: number;
  /** See Level. */
  readonly fullAt: number;
  /** Milliseconds until `cost` tokens are there; 0 when admitted. */
  readonly retryAfterMs: number;
}

export async function take(
  limiter: Pick<Limiter, "draw">,
  key: string,
  { bucket, cost }: { readonly bucket: Bucket; readonly cost: number },
): Promise<Taken> {
  return takenOf(await limiter.draw({ buckets: [{ key, bucket }], cost, count: 1 }));
}

function takenOf({ granted, buckets: [level] }: Drawn): Taken {
  if (level === undefined) throw new Error("Expected a bucket");
  const admitted = granted > 0;
  return { admitted, remaining: wholeTokens(level.tokens), fullAt: level.fullAt, retryAfterMs: admitted ? 0 : level.retryAfterMs };
}
