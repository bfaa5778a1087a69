/** Draws that wait together: while one question about some buckets is under way, the next one collects all callers that come. */
import type { Bucket, Draw, Drawn, KeyedBucket, Level } from "./limiter.ts";

/**
 * `draw` for one caller at a time (`count` 1), asking `ask` at most once for all that wait for the same buckets and cost.
 * A caller gets only a token that was taken for a request that waits: none is kept back, so what all gateways together
 * admit is what the buckets admit. Each caller that gets one gets the levels as they were right after its own.
 */
export function openSharedDraws(ask: (draw: Draw) => Promise<Drawn>, countMax: number): (draw: Omit<Draw, "count">) => Promise<Drawn> {
  const lines = new Map<string, Line>();

  async function run(name: string, line: Line): Promise<void> {
    while (line.waiting.length > 0) {
      const together = line.waiting.splice(0, countMax);
      try {
        answer(together, await ask({ buckets: line.buckets, cost: line.cost, count: together.length }), line);
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    lines.delete(name);
  }
  return ({ buckets, cost }) =>
    new Promise((resolve, reject) => {
      const name = nameOf(buckets, cost);
      const known = lines.get(name);
      if (known) return void known.waiting.push({ resolve, reject });
      const line = { buckets, cost, waiting: [{ resolve, reject }] };
      lines.set(name, line);
      void run(name, line);
    });
}

interface Line {
  readonly buckets: readonly KeyedBucket[];
  readonly cost: number;
  readonly waiting: Waiting[];
}

interface Waiting {
  resolve(drawn: Drawn): void;
  reject(error: unknown): void;
}

/** The first caller got the first token. */
function answer(together: readonly Waiting[], drawn: Drawn, { buckets, cost }: Line): void {
  for (const [at, { resolve }] of together.entries()) {
    const after = Math.max(0, drawn.granted - 1 - at) * cost;
    resolve({
      granted: at < drawn.granted ? 1 : 0,
      buckets: drawn.buckets.map((level, index) => withMore(level, after, buckets[index]?.bucket)),
    });
  }
}

/** The level before so many tokens more were taken, which is full by so much sooner. */
function withMore(level: Level, tokens: number, bucket: Bucket | undefined): Level {
  if (bucket === undefined || tokens === 0) return level;
  const sooner = Math.floor((tokens * bucket.windowMs) / bucket.capacity);
  return { ...level, tokens: level.tokens + tokens, fullAt: level.fullAt - sooner };
}

/** A bucket whose terms have changed is another line. */
function nameOf(buckets: readonly KeyedBucket[], cost: number): string {
  return JSON.stringify([cost, ...buckets.map(({ key, bucket }) => [key, bucket.capacity, bucket.windowMs])]);
}
