/** How far a reader is behind the end of its lane: in records, and in seconds since the oldest of them came. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { repeatedly } from "../repeatedly.ts";

export interface Lag {
  readonly lane: string;
  readonly records: number;
  /** For how long the oldest record that is not applied has been waiting, as far as looks every `lagLookMs` can tell. */
  readonly seconds: number;
}

export interface LagMeter {
  /** Rejects where the end of the lane cannot be asked. */
  read(): Promise<Lag>;
  /** As read(), this once: it begins no regular looks. */
  look(): Promise<Lag>;
  close(): void;
}

export interface LagSource {
  readonly lane: string;
  /** The place of the last durable record. */
  readonly tail: () => Promise<number> | number;
  /** The place up to which records are applied. */
  readonly applied: () => Promise<number> | number;
}

/** A look at one lane: it remembers when it first saw an end that is not applied, so the more often it is asked, the better its seconds. */
export function createLagLook({ lane, tail, applied }: LagSource, clock: Clock): () => Promise<Lag> {
  /** Where the end was when, the oldest first; none that is applied, but for the newest. */
  let seen: { readonly tail: number; readonly at: number }[] = [];

  return async () => {
    const done = await applied();
    const end = await tail();
    const now = clock.monotonic();
    seen = seen.filter((look) => look.tail > done);
    if (end > done && (seen.at(-1)?.tail ?? 0) < end) seen.push({ tail: end, at: now });
    // What came before a look that is left out counts from the next one on; the oldest stays
    if (seen.length > limits.lagLooksMax) seen = seen.filter((_, at) => at % 2 === 0);
    const since = seen[0]?.at ?? now;
    return { lane, records: Math.max(0, end - done), seconds: end > done ? (now - since) / 1_000 : 0 };
  };
}

/** From the first question on it looks every `lagLookMs`, so that a record that waits has been seen about when it came. */
export function openLagMeter(look: () => Promise<Lag>, clock: Clock): LagMeter {
  let end: (() => void) | undefined;
  return {
    look,
    read() {
      end ??= repeatedly(clock, limits.lagLookMs, () => void look().catch(() => {}));
      return look();
    },
    close: () => end?.(),
  };
}
