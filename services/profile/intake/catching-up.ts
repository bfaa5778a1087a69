/**
 * Whether a process knows how far the log is applied: not before it has caught up with what was sent while nothing was applied, or
 * before it started.
 */
import type { Clock } from "../../../platform/clock.ts";

export interface CatchUp {
  /** Nothing is applied, for an unknown time. */
  begin(): void;
  /** While it is not done. */
  appended(sequence: number): void;
  /** Asked with how far the log is applied. True until the next `begin`. */
  isDone(through: number): boolean;
}

/**
 * Goes in rounds: each lasts until that is applied which was appended before it began. As long as each takes at most two thirds of the
 * one before, what waits gets less by itself, and no writer has to be slowed for it.
 */
export function createCatchUp(clock: Clock): CatchUp {
  let done = false;
  let round: { readonly until: number; readonly began: number; readonly msMax: number } | undefined;
  let last = 0;
  return {
    begin() {
      done = false;
      round = undefined;
    },
    appended(sequence) {
      last = Math.max(last, sequence);
      round ??= { until: sequence, began: clock.monotonic(), msMax: Infinity };
    },
    isDone(through) {
      if (done || round === undefined) return done;
      const tookMs = clock.monotonic() - round.began;
      if (through >= last || tookMs > round.msMax) return done = true;
      if (through >= round.until) round = { until: last, began: clock.monotonic(), msMax: tookMs * partOfLast };
      return false;
    },
  };
}

const partOfLast = 2 / 3;
