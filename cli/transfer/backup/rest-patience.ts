/** How long a backup waits for what was accepted: for as long as it is being applied, and a fixed time beyond. */
import { limits } from "../../../platform/limits.ts";
import type { LogsAtRest } from "../../../platform/epoch/at-rest.ts";

type Look = Pick<LogsAtRest, "ends" | "applied">;

export interface RestPatience {
  /** What was there at the first look is applied. */
  readonly isFirstLookApplied: boolean;
  /** `backupWaitMs` passed since anything of it was applied, or, where all of it is, since then: others go on writing. */
  isOver(look: Look, now: number): boolean;
}

/** `now`: on the monotonic time, milliseconds. */
export function restPatience(first: Look, now: number): RestPatience {
  let movedAt = now;
  let done = doneOf(first, first);
  let isFirstLookApplied = isReached(first, first);
  return {
    get isFirstLookApplied() {
      return isFirstLookApplied;
    },
    isOver(look, at) {
      const doneNow = doneOf(first, look);
      if (doneNow > done) movedAt = at;
      done = Math.max(done, doneNow);
      isFirstLookApplied ||= isReached(first, look);
      return at - movedAt > limits.backupWaitMs;
    },
  };
}

/** Of what was there at first; what came later counts for nothing. */
function doneOf({ ends }: Look, { applied }: Look): number {
  return ends.reduce((sum, end, at) => sum + Math.min(end, applied[at] ?? 0), 0);
}

function isReached({ ends }: Look, { applied }: Look): boolean {
  return ends.every((end, at) => (applied[at] ?? 0) >= end);
}
