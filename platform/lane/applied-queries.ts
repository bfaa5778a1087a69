/** Callers that wait for users or addresses of a lane: those go before others, and the callers are notified when they are in. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

/** Keys that a caller waits for. */
export type Wanted = Pick<ReadonlySet<string>, "has" | "size" | "keys">;

export interface AppliedQuery {
  /** A message of the lane. */
  readonly through: number;
  /** As `laneKey` makes them; more than `laneWantedKeysMax` wait for their turn. */
  readonly keys: readonly string[];
  /** How long the caller waits, in milliseconds. */
  readonly ms: number;
}

/** True as soon as everything of the keys up to the message is applied; false after `ms`, and where it is unknown. */
export type QueryApplied = (ask: AppliedQuery) => Promise<boolean>;

export interface AppliedQueries {
  readonly ask: QueryApplied;
  /** The keys of all waiting callers. */
  readonly wanted: Wanted;
  /** Notifies the callers whose keys are in. */
  settle(): void;
  /** Answers all waiting callers with false. */
  close(): void;
}

export interface AppliedQueriesDeps {
  readonly clock: Clock;
  readonly isPast: (keys: readonly string[], message: number) => boolean;
  /** A new caller waits. */
  readonly onAsk: (ask: AppliedQuery) => void;
}

export function createAppliedQueries({ clock, isPast, onAsk }: AppliedQueriesDeps): AppliedQueries {
  const waiting = new Set<{ readonly ask: AppliedQuery; readonly end: (isIn: boolean) => void }>();
  /** How many wait for each. */
  const wanted = new Map<string, number>();
  function want(keys: readonly string[], more: 1 | -1): void {
    if (keys.length > limits.laneWantedKeysMax) return;
    for (const key of keys) {
      const count = (wanted.get(key) ?? 0) + more;
      if (count > 0) wanted.set(key, count);
      else wanted.delete(key);
    }
  }
  return {
    wanted,
    ask(ask) {
      if (isPast(ask.keys, ask.through)) return Promise.resolve(true);
      if (waiting.size >= limits.laneAsksMax || ask.ms <= 0) return Promise.resolve(false);
      return new Promise((resolve) => {
        const cancel = clock.after(ask.ms, () => one.end(false));
        const one = {
          ask,
          end(isIn: boolean) {
            if (waiting.delete(one)) want(ask.keys, -1);
            cancel();
            resolve(isIn);
          },
        };
        waiting.add(one);
        want(ask.keys, 1);
        onAsk(ask);
      });
    },
    settle() {
      for (const { ask, end } of waiting) if (isPast(ask.keys, ask.through)) end(true);
    },
    close() {
      for (const { end } of waiting) end(false);
    },
  };
}
