/** How long a step works, and when others get a turn meanwhile. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";

export interface Pace {
  /** Work begins, or goes on. */
  begin(): void;
  /** It ends, until it begins again. Others get their turn: the first time, and whenever they waited for as long as is aimed at. */
  rest(): Promise<void>;
}

export interface MeasuredPace extends Pace {
  readonly hasRested: boolean;
  /** Milliseconds between each `begin` and the `rest` behind it. */
  readonly workedMs: number;
}

/** Of work that began at `began`, by the monotonic clock. */
export function createPace(clock: Clock, began: number): MeasuredPace {
  let since: number | undefined = began;
  let turnAt = began;
  let workedMs = 0;
  let hasRested = false;
  return {
    get hasRested() {
      return hasRested;
    },
    get workedMs() {
      return workedMs;
    },
    begin() {
      since ??= clock.monotonic();
    },
    async rest() {
      const at = clock.monotonic();
      if (since !== undefined) workedMs += at - since;
      since = undefined;
      if (hasRested && at - turnAt < limits.passPlanMsAim) return;
      hasRested = true;
      await setImmediate();
      turnAt = clock.monotonic();
    },
  };
}
