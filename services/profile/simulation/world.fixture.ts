/** A world in which a seed decides what happens next: calls that are answered late, lost or done after all, processes that die, time. */
import { setImmediate } from "node:timers/promises";
import { type Clock, fakeClock } from "../../../platform/clock.ts";
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
}

export interface Call<T> {
  readonly effect: () => T | Promise<T>;
  /** What the caller gets where the call certainly did not happen, */
  readonly refused: () => T;
  /** and where it may have happened. */
  readonly lost: () => T;
  readonly repeatable: boolean;
}

interface Pending {
  readonly process: Process | undefined;
  happen(): Promise<void>;
}

export function createWorld(seed: number): World {
  const random = seededRandom(seed);
  const clock = fakeClock();
  const pending: Pending[] = [];
  let steps = 0;

  function chance(probability: number): boolean {
    return random() < probability;
  }

  function pick(count: number): number {
    return Math.floor(random() * count);
  }

  function whileFaulty(probability: number): boolean {
    return world.faulty && chance(probability);
  }

  function later(happen: () => void): void {
    pending.push({ process: undefined, happen: () => Promise.resolve(happen()) });
  }

  async function happenFor<T>(process: Process, { effect, refused, lost, repeatable }: Call<T>): Promise<() => T> {
    if (!process.alive) {
      if (chance(0.5)) await effect();
      return lost;
    }
    if (whileFaulty(0.02)) return refused;
    if (whileFaulty(0.02)) {
      // No answer, and the request is still on its way
      later(() => void Promise.resolve(effect()).catch(ignore));
      return lost;
    }
    const result = await effect();
    if (repeatable && whileFaulty(0.02)) later(() => void Promise.resolve(effect()).catch(ignore));
    return whileFaulty(0.02) ? lost : () => result;
  }

  const world: World = {
    clock,
    faulty: true,
    chance,
    pick,
    process: () => ({ alive: true }),
    later,
    get steps() {
      return steps;
    },
    call(process, call) {
      return new Promise((resolve, reject) => {
        pending.push({
          process,
          async happen() {
            try {
              const answer = await happenFor(process, call);
              const value = answer();
              if (process.alive) resolve(value);
            } catch (error) {
              if (process.alive) reject(error);
            }
          },
        });
      });
    },
    async run(isDone, onStep) {
      for (;;) {
        await setImmediate();
        if (pending.length === 0 && await isDone()) return;
        steps += 1;
        if (steps > stepsMax) throw new Error(`Expected an end after ${stepsMax} steps`);
        onStep();
        if (pending.length === 0 || chance(0.02)) clock.advance(pending.length === 0 ? 500 : 20);
        const [next] = pending.splice(pick(pending.length), 1);
        await next?.happen();
      }
    },
  };
  return world;
}

function ignore(): void {}

const stepsMax = 30_000;
