/** The reader of a lane: takes what is there, in order, one step at a time, and never gives up. */
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { type Lane, type LanePlace, type LaneRecord, usersIn } from "./lane.ts";
import { troubleOf } from "./trouble.ts";

export interface DrainParts {
  readonly name: string;
  readonly lane: Lane;
  /** Applies the records and takes them out of the lane, in one write. */
  readonly step: (records: readonly LaneRecord[]) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Drain {
  /** Something may be in the lane. */
  notify(): void;
  /**
   * True as soon as what the lane held at the call is applied, of one workspace where it is named; false after `ms`
   * (Infinity: never) without it.
   */
  drained(ms: number, workspaceId?: string): Promise<boolean>;
  /** Why nothing is applied at the moment; undefined while all is well. */
  trouble(): string | undefined;
  /** Ends after the step under way. */
  close(): Promise<void>;
}

/** Starts with what an earlier process left. A failed step is tried again for as long as it fails. */
export function openDrain(parts: DrainParts): Drain {
  const drain = new RunningDrain(parts);
  drain.notify();
  return drain;
}

class RunningDrain implements Drain {
  readonly #parts: DrainParts;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #failures = 0;
  #trouble: string | undefined;
  #cancelRetry: (() => void) | undefined;
  readonly #waiting = new Set<(reached: boolean) => void>();
  /** Those of #waiting for whom records of one workspace are enough. */
  readonly #places = new Map<(reached: boolean) => void, { readonly workspaceId: string; readonly place: LanePlace }>();

  constructor(parts: DrainParts) {
    this.#parts = parts;
  }

  notify(): void {
    this.#again = true;
    if (this.#closed || this.#running !== undefined || this.#cancelRetry !== undefined) return;
    this.#running = this.#run();
  }

  drained(ms: number, workspaceId?: string): Promise<boolean> {
    const place = workspaceId === undefined ? undefined : this.#parts.lane.last(workspaceId);
    if (workspaceId !== undefined && place === undefined) return Promise.resolve(true);
    return new Promise((resolve) => {
      const settle = (reached: boolean): void => {
        this.#waiting.delete(settle);
        this.#places.delete(settle);
        cancel();
        resolve(reached);
      };
      const cancel = ms === Infinity ? () => {} : this.#parts.clock.after(ms, () => settle(false));
      this.#waiting.add(settle);
      if (workspaceId !== undefined && place !== undefined) this.#places.set(settle, { workspaceId, place });
      this.notify();
    });
  }

  trouble(): string | undefined {
    return this.#trouble;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    await this.#running;
    for (const settle of this.#waiting) settle(false);
  }

  async #run(): Promise<void> {
    try {
      while (this.#again && !this.#closed) {
        this.#again = false;
        const waiting = [...this.#waiting];
        await this.#empty();
        this.#tell(waiting);
      }
      this.#failures = 0;
      this.#trouble = undefined;
    } catch (error) {
      this.#retry(error);
    } finally {
      this.#running = undefined;
      // Somebody may have asked after the last look
      if (this.#again && !this.#closed) this.notify();
    }
  }

  #tell(waiting: readonly ((reached: boolean) => void)[]): void {
    if (this.#closed) return;
    for (const settle of waiting) settle(true);
  }

  async #empty(): Promise<void> {
    const { lane, step } = this.#parts;
    for (let records = await lane.read(limits.laneReadUsersMax); records.length > 0 && !this.#closed;) {
      const began = performance.now();
      await step(records);
      for (const [settle, { workspaceId, place }] of this.#places) if (lane.isPast(workspaceId, place)) settle(true);
      const rest = (performance.now() - began) * limits.laneRestFactor * shareFannedOut(records);
      if (rest > 0) await setTimeout(Math.min(rest, limits.laneRestMsMax));
      records = await lane.read(limits.laneReadUsersMax);
    }
  }

  #retry(error: unknown): void {
    const { name, logger, clock } = this.#parts;
    this.#failures += 1;
    this.#trouble = `Cannot apply its lane: ${troubleOf(error)}`;
    logger.error("lane_failed", error, { lane: name, failures: this.#failures });
    const wait = Math.min(limits.passRetryMsMin * 2 ** Math.min(this.#failures - 1, retryDoublingsMax), limits.passRetryMsMax);
    this.#again = true;
    this.#cancelRetry = clock.after(wait, () => {
      this.#cancelRetry = undefined;
      this.notify();
    });
  }
}

/** One request that concerns very many leaves most of the time to the requests of others. */
function shareFannedOut(records: readonly LaneRecord[]): number {
  return usersIn(records.filter(({ users = 1 }) => users > 1)) / Math.max(1, usersIn(records));
}

const retryDoublingsMax = 20;
