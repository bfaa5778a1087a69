/** How far a partition is worked through, and who waits for it. */
import type { Clock } from "../clock.ts";

export interface Progress {
  /** The last sequence that is through: decided, or durable and readable, as its owner says. */
  readonly reached: number;
  /** Whether anybody waits for what is not reached. */
  readonly isAwaited: boolean;
  /** Moves on and wakes the callers that waited for it. Never moves back. */
  advance(to: number): void;
  /** True as soon as `sequence` is reached, false after `ms` (Infinity: never) without it. */
  wait(sequence: number, ms: number): Promise<boolean>;
  /** As `wait`: how many of the `ms` are left, undefined after them without it. */
  waitLeft(sequence: number, ms: number): Promise<number | undefined>;
}

export function createProgress(clock: Clock): Progress {
  const waiting = new Set<Waiter>();
  let reached = 0;
  const progress: Progress = {
    get reached() {
      return reached;
    },
    get isAwaited() {
      return waiting.size > 0;
    },
    advance(to) {
      if (to <= reached) return;
      reached = to;
      for (const waiter of waiting) {
        if (waiter.sequence <= to) waiter.settle(true);
      }
    },
    wait(sequence, ms) {
      if (sequence <= reached) return Promise.resolve(true);
      if (ms <= 0) return Promise.resolve(false);
      return new Promise((resolve) => {
        const cancel = ms === Infinity ? () => {} : clock.after(ms, () => waiter.settle(false));
        const waiter: Waiter = {
          sequence,
          settle(isReached) {
            waiting.delete(waiter);
            cancel();
            resolve(isReached);
          },
        };
        waiting.add(waiter);
      });
    },
    async waitLeft(sequence, ms) {
      const until = clock.monotonic() + ms;
      return await progress.wait(sequence, ms) ? Math.max(0, until - clock.monotonic()) : undefined;
    },
  };
  return progress;
}

interface Waiter {
  readonly sequence: number;
  settle(isReached: boolean): void;
}
