/** The loop of a reader that never gives up: turn after turn, resting where there is nothing, backing off where it fails. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { troubleOf } from "../faults/trouble.ts";

export interface Turning {
  /**
   * One piece of work; "idle" where there was nothing to do, or so many milliseconds until there is, if no notice comes; `pauseMs`: the next turn
   * comes so much later whatever notices come, so that it has more to do, unless it is to hurry.
   */
  turn(): Promise<"busy" | "idle" | number | Pause>;
  /** What is in memory may be ahead of or behind what is stored: forget it. */
  recover(error: unknown, failures: Failures): void;
}

/** Of one reader in a row. */
export interface Failures {
  /** From 1. */
  readonly count: number;
  /** Whether the log has a line of the last: what is away for long would repeat the same line for every lane. */
  readonly isLogged: boolean;
}

interface Pause {
  readonly pauseMs: number;
  /** Asked when the pause begins: who came while the turn ended is not to wait. */
  readonly unless: () => boolean;
}

export interface ReadOnDeps {
  readonly clock: Clock;
  /** The longest rest without notice. */
  readonly idleMs: number;
  /** Calls back when there may be something to do; returns how to stop that. */
  readonly watch: (wake: () => void) => () => void;
}

export interface Reading {
  /** Why nothing gets on at the moment; undefined while all is well. */
  trouble(): string | undefined;
  /** There may be something to do. */
  wake(): void;
  /** Ends the pause that a turn asked for. */
  hurry(): void;
  /** What kept it from getting on may be over: it tries at once, and rests as after a first failure where that was not so. */
  retry(): void;
  /** Ends after the turn under way. */
  close(): Promise<void>;
}

/** Starts at once. */
export function readOn(deps: ReadOnDeps, turning: Turning): Reading {
  const loop = new Loop(deps, turning);
  const done = loop.run();
  return {
    trouble: () => loop.trouble,
    wake: () => loop.notify(),
    hurry: () => loop.hurry(),
    retry: () => loop.retry(),
    close: () => {
      loop.stop();
      return done;
    },
  };
}

class Loop {
  trouble: string | undefined = "Not read from the start yet";
  readonly #deps: ReadOnDeps;
  readonly #turning: Turning;
  #closed = false;
  #isNoticed = false;
  #pausing: "asked for" | "after a failure" | undefined;
  #failures = 0;
  #lastFailure = "";
  #wake: (() => void) | undefined;

  constructor(deps: ReadOnDeps, turning: Turning) {
    this.#deps = deps;
    this.#turning = turning;
  }

  async run(): Promise<void> {
    const unwatch = this.#deps.watch(() => this.notify());
    while (!this.#closed) {
      try {
        this.#isNoticed = false;
        const was = await this.#turning.turn();
        this.#failures = 0;
        this.trouble = undefined;
        if (typeof was === "object") await this.#pause("asked for", was.unless() ? 0 : was.pauseMs);
        else if (was !== "busy" && !this.#isNoticed) await this.#rest(was === "idle" ? this.#deps.idleMs : was);
      } catch (error) {
        this.#failures += 1;
        this.trouble = troubleOf(error);
        const text = String(error);
        const isNew = text !== this.#lastFailure;
        this.#lastFailure = text;
        this.#turning.recover(error, { count: this.#failures, isLogged: isNew || isPowerOfTwo(this.#failures) });
        await this.#pause("after a failure", backoffMs(this.#failures));
      }
    }
    unwatch();
  }

  notify(): void {
    this.#isNoticed = true;
    if (this.#pausing === undefined) this.#wake?.();
  }

  hurry(): void {
    if (this.#pausing === "asked for") this.#wake?.();
  }

  retry(): void {
    this.#failures = 0;
    if (this.#pausing !== undefined) this.#wake?.();
  }

  stop(): void {
    this.#closed = true;
    this.#wake?.();
  }

  /** No notice cuts it short. */
  async #pause(why: "asked for" | "after a failure", ms: number): Promise<void> {
    if (ms === 0) return;
    this.#pausing = why;
    await this.#rest(ms);
    this.#pausing = undefined;
  }

  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#deps.clock.after(ms, () => this.#wake?.());
      this.#wake = () => {
        this.#wake = undefined;
        cancel();
        resolve();
      };
      if (this.#closed) this.#wake();
    });
  }
}

/** Doubles from `readerRetryMsMin` to `readerRetryMsMax`; `failures` counts from 1. */
function backoffMs(failures: number): number {
  return Math.min(limits.readerRetryMsMax, limits.readerRetryMsMin * 2 ** (failures - 1));
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
