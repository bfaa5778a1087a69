/** A world in which a seed decides what happens next: calls that are answered late, lost or done after all, processes that die, time. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../platform/clock.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { seededRandom } from "../../../test/random.ts";

export interface World {
  readonly clock: Clock;
  /** Whether faults happen; a run ends with a time without. */
  faulty: boolean;
  chance(probability: number): boolean;
  /** A whole number below `count`. */
  pick(count: number): number;
  process(): Process;
  /** A call to a server: it happens at some time, once, twice or never, and is answered or not. */
  call<T>(process: Process, call: Call<T>): Promise<T>;
  /** Something happens by itself at some time. */
  later(happen: () => void): void;
  /** Runs until `isDone` holds at a moment when nothing is under way; throws where that does not come. */
  run(isDone: () => boolean | Promise<boolean>, onStep: () => void): Promise<void>;
  readonly steps: number;
}

/** A process whose calls are answered while it lives. */
export interface Process {
  alive: boolean;
  /** Its calls take very long: others overtake it. */
  slow: boolean;
}

interface Call<T> {
  readonly effect: () => T | Promise<T>;
  /** What the caller gets where the call certainly did not happen, */
  readonly refused: () => T;
  /** and where it may have happened. */
  readonly lost: () => T;
  readonly repeatable: boolean;
}

export function createWorld(seed: number): World {
  return new SeededWorld(seed);
}

class SeededWorld implements World {
  readonly clock = fakeClock();
  faulty = true;
  steps = 0;
  readonly #random: () => number;
  readonly #pending: { readonly process: Process | undefined; happen(): Promise<void> }[] = [];

  constructor(seed: number) {
    this.#random = seededRandom(seed);
  }

  chance(probability: number): boolean {
    return this.#random() < probability;
  }

  pick(count: number): number {
    return Math.floor(this.#random() * count);
  }

  process(): Process {
    return { alive: true, slow: false };
  }

  later(happen: () => void): void {
    this.#pending.push({ process: undefined, happen: () => Promise.resolve(happen()) });
  }

  call<T>(process: Process, call: Call<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const happen = async () => {
        try {
          const answer = await this.#happen(process, call);
          const value = answer();
          if (process.alive) resolve(value);
        } catch (error) {
          if (process.alive) reject(error);
        }
      };
      this.#pending.push({ process, happen });
    });
  }

  async run(isDone: () => boolean | Promise<boolean>, onStep: () => void): Promise<void> {
    for (let step = 0; step < stepsMax; step += 1) {
      await setImmediate();
      if (this.#pending.length === 0 && await isDone()) return;
      this.steps += 1;
      onStep();
      if (this.#pending.length === 0) this.clock.advance(idleMs);
      else if (this.chance(0.02)) this.clock.advance(busyMs);
      const [next] = this.#pending.splice(this.#next(), 1);
      await next?.happen();
    }
    throw new Error(`Expected an end after ${stepsMax} steps`);
  }

  /** What happens next; a slow process mostly comes after all others. */
  #next(): number {
    const at = this.pick(this.#pending.length);
    if (!this.faulty || !this.#pending[at]?.process?.slow || this.chance(0.02)) return at;
    const other = this.#pending.findIndex(({ process }) => !process?.slow);
    return other < 0 ? at : other;
  }

  async #happen<T>(process: Process, { effect, refused, lost, repeatable }: Call<T>): Promise<() => T> {
    if (!process.alive) {
      if (this.chance(0.5)) await effect();
      return lost;
    }
    if (this.#fails()) return refused;
    if (this.#fails()) {
      // No answer, and the request is still on its way
      this.later(() => void Promise.resolve(effect()).catch(ignore));
      return lost;
    }
    const result = await effect();
    if (repeatable && this.#fails()) this.later(() => void Promise.resolve(effect()).catch(ignore));
    return this.#fails() ? lost : () => result;
  }

  #fails(): boolean {
    return this.faulty && this.chance(0.02);
  }
}

function ignore(): void {}

const stepsMax = 30_000;
const idleMs = 500;
const busyMs = 20;
