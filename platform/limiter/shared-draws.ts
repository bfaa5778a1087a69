/** Draws that wait together: while one question is under way, the next one collects all callers that come. */
import type { Bucket, Draw, Drawn, KeyedBucket, Level } from "./limiter.ts";

export interface SharedDrawsBounds {
  /** Callers of the same buckets in one question. */
  readonly callersMax: number;
  /** Draws in one question. */
  readonly drawsMax: number;
}

/**
 * `draw` for one caller at a time (`count` 1), asking `ask` with one draw for all that wait for the same buckets and cost. One question is under way at a time; more where as many draws wait
 * as a question may have, so that what takes a question long does not bound how many are asked.
 * A caller gets only a token that was taken for a request that waits: none is kept back, so what all gateways together
 * admit is what the buckets admit. Each caller that gets one gets the levels as they were right after its own.
 */
export function openSharedDraws(
  ask: (draws: readonly Draw[]) => Promise<readonly Drawn[]>,
  { callersMax, drawsMax }: SharedDrawsBounds,
): (draw: Omit<Draw, "count">) => Promise<Drawn> {
  const lines = new Map<string, Line>();
  let asking = 0;

  async function askAll(): Promise<void> {
    asking += 1;
    // Of several only the last goes on with what is less than a full question
    while (lines.size >= (asking === 1 ? 1 : drawsMax)) await askSome();
    asking -= 1;
  }
  async function askSome(): Promise<void> {
    const some = [...lines.entries().take(drawsMax)].map(([name, line]) => {
      const callers = line.waiting.splice(0, callersMax);
      // Callers who are left go behind the lines that came after this one
      lines.delete(name);
      if (line.waiting.length > 0) lines.set(name, line);
      return { line, callers };
    });
    try {
      const drawn = await ask(some.map(({ line: { buckets, cost }, callers }) => ({ buckets, cost, count: callers.length })));
      for (const [at, { line, callers }] of some.entries()) answer(callers, drawn[at] as Drawn, line);
    } catch (error) {
      for (const { callers } of some) for (const { reject } of callers) reject(error);
    }
  }
  return ({ buckets, cost }) =>
    new Promise((resolve, reject) => {
      const name = nameOf(buckets, cost);
      const known = lines.get(name);
      if (known) known.waiting.push({ resolve, reject });
      else lines.set(name, { buckets, cost, waiting: [{ resolve, reject }] });
      if (asking === 0 || lines.size >= drawsMax) void askAll();
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
