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

/** Of work that began at `began`, by the monotonic clock. */
export class StepPace implements Pace {
  hasRested = false;
  /** Milliseconds between each `begin` and the `rest` behind it. */
  workedMs = 0;
  readonly #clock: Clock;
  #since: number | undefined;
  #turnAt: number;

  constructor(clock: Clock, began: number) {
    this.#clock = clock;
    this.#since = began;
    this.#turnAt = began;
  }

  begin(): void {
    this.#since ??= this.#clock.monotonic();
  }

  async rest(): Promise<void> {
    const at = this.#clock.monotonic();
    if (this.#since !== undefined) this.workedMs += at - this.#since;
    this.#since = undefined;
    if (this.hasRested && at - this.#turnAt < limits.stepPlanMsAim) return;
    this.hasRested = true;
    await setImmediate();
    this.#turnAt = this.#clock.monotonic();
  }
}
