/** Who waits for users or addresses of a lane: they go before others, and whoever waits is told when they are in. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

export interface LaneAsk {
  /** A message of the lane. */
  readonly through: number;
  /** As `laneKey` makes them, `laneAskKeysMax` at most. */
  readonly keys: readonly string[];
  /** How long whoever asks waits, in milliseconds. */
  readonly ms: number;
}

/** True as soon as everything of the keys up to the message is applied; false after `ms`, and where nobody knows. */
export type AskLane = (ask: LaneAsk) => Promise<boolean>;

export interface LaneAsks {
  readonly ask: AskLane;
  /** The keys of all who wait, those of the first first. */
  wanted(): Iterable<string>;
  /** Tells those whose keys are in. */
  settle(): void;
  /** Nobody is told any more that something is in. */
  close(): void;
}

export interface LaneAsksParts {
  readonly clock: Clock;
  readonly isPast: (keys: readonly string[], message: number) => boolean;
  /** Somebody new waits. */
  readonly onAsk: () => void;
}

export function createLaneAsks({ clock, isPast, onAsk }: LaneAsksParts): LaneAsks {
  const waiting = new Set<{ readonly ask: LaneAsk; readonly end: (isIn: boolean) => void }>();
  return {
    ask(ask) {
      if (ask.keys.length > limits.laneAskKeysMax) return Promise.resolve(false);
      if (isPast(ask.keys, ask.through)) return Promise.resolve(true);
      if (waiting.size >= limits.laneAsksMax || ask.ms <= 0) return Promise.resolve(false);
      return new Promise((resolve) => {
        const cancel = clock.after(ask.ms, () => one.end(false));
        const one = {
          ask,
          end(isIn: boolean) {
            waiting.delete(one);
            cancel();
            resolve(isIn);
          },
        };
        waiting.add(one);
        onAsk();
      });
    },
    *wanted() {
      for (const { ask } of waiting) yield* ask.keys;
    },
    settle() {
      for (const { ask, end } of waiting) if (isPast(ask.keys, ask.through)) end(true);
    },
    close() {
      for (const { end } of waiting) end(false);
    },
  };
}
