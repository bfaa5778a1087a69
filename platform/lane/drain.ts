/** The applier of an embedded lane: takes what is there, of each user in order, one step at a time, and never gives up. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import type { Lane, LanePlace, LaneRecord } from "./lane.ts";
import { createLaneReader, type LaneReader, type RecordConcern, type Turn } from "./lane-reader.ts";
import { troubleOf } from "./trouble.ts";

export interface DrainParts {
  readonly name: string;
  readonly lane: Lane;
  readonly concernOf: (record: LaneRecord) => RecordConcern;
  /** Applies the records and takes them out of the lane, in one write; false where they have to be read again first. */
  readonly step: (turn: Pick<Turn, "records" | "returns">) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface Drain {
  /** Something may be in the lane. */
  notify(): void;
  /**
   * True as soon as what the lane held at the call is applied, of one workspace where it is named, and of some of its users
   * or addresses where they are; false after `ms` (Infinity: never) without it. What they need is applied first.
   */
  drained(ms: number, whose?: Whose): Promise<boolean>;
  /** Why nothing is applied at the moment; undefined while all is well. */
  trouble(): string | undefined;
  /** Ends after the step under way. */
  close(): Promise<void>;
}

export interface Whose {
  readonly workspaceId: string;
  /** Absent: all. */
  readonly keys?: readonly string[];
}

/** Starts with what an earlier process left. A failed step is tried again for as long as it fails. */
export function openDrain(parts: DrainParts): Drain {
  const drain = new RunningDrain(parts);
  drain.notify();
  return drain;
}

type Settle = (reached: boolean) => void;

class RunningDrain implements Drain {
  readonly #parts: DrainParts;
  readonly #reader: LaneReader;
  #running: Promise<void> | undefined;
  #again = false;
  #closed = false;
  #failures = 0;
  #trouble: string | undefined;
  #cancelRetry: (() => void) | undefined;
  /** When it is the turn of what concerns very many, on the monotonic clock. */
  #manyAt = 0;
  #endRest: (() => void) | undefined;
  readonly #waiting = new Set<Settle>();
  /** Those of #waiting for whom records of one workspace are enough, or of some of its users. */
  readonly #places = new Map<Settle, Whose & { readonly place: LanePlace }>();

  constructor(parts: DrainParts) {
    this.#parts = parts;
    this.#reader = createLaneReader(parts);
  }

  notify(): void {
    this.#again = true;
    this.#endRest?.();
    if (this.#closed || this.#running !== undefined || this.#cancelRetry !== undefined) return;
    this.#running = this.#run();
  }

  drained(ms: number, whose?: Whose): Promise<boolean> {
    if (whose === undefined) return this.#wait(ms);
    if (whose.keys?.length === 0) return Promise.resolve(true);
    const place = this.#parts.lane.last(whose.workspaceId);
    if (place === undefined || this.#reader.isPast(whose.workspaceId, place, whose.keys)) return Promise.resolve(true);
    return this.#wait(ms, { ...whose, place });
  }

  trouble(): string | undefined {
    return this.#trouble;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelRetry?.();
    this.#endRest?.();
    await this.#running;
    for (const settle of this.#waiting) settle(false);
  }

  #wait(ms: number, whose?: Whose & { readonly place: LanePlace }): Promise<boolean> {
    return new Promise((resolve) => {
      const settle: Settle = (reached) => {
        if (!this.#waiting.delete(settle)) return;
        this.#places.delete(settle);
        unwant?.();
        cancel();
        resolve(reached);
      };
      const cancel = ms === Infinity ? () => {} : this.#parts.clock.after(ms, () => settle(false));
      const unwant = whose?.keys && this.#reader.want(whose.workspaceId, whose.keys);
      this.#waiting.add(settle);
      if (whose !== undefined) this.#places.set(settle, whose);
      this.notify();
    });
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

  #tell(waiting: readonly Settle[]): void {
    if (this.#closed) return;
    for (const settle of waiting) settle(true);
  }

  async #empty(): Promise<void> {
    for (let turn = this.#next(); turn !== undefined && !this.#closed; turn = this.#next()) {
      if (turn.records.length > 0) await this.#apply(turn);
      else if (turn.hasMore) await setImmediate();
      if (turn.records.length > 0 || turn.hasMore) this.#settle();
      else await this.#rest(this.#manyAt - this.#parts.clock.monotonic());
    }
  }

  #next(): Turn | undefined {
    return this.#reader.next(this.#parts.clock.monotonic() >= this.#manyAt);
  }

  async #apply({ records, isOfMany, returns }: Turn): Promise<void> {
    const { clock, step } = this.#parts;
    const began = clock.monotonic();
    if (await step({ records, returns })) this.#reader.done(records);
    else this.#reader.forget();
    const ended = clock.monotonic();
    if (isOfMany) this.#manyAt = ended + this.#restMs(ended - began);
  }

  /** The more wait, the less rest, and none where no more can be read ahead: who comes behind them is not seen. */
  #restMs(workedMs: number): number {
    const [full, none] = [limits.laneRestUsersMax, limits.laneAheadUsersMax];
    const share = Math.max(0, Math.min(1, (none - this.#reader.size) / (none - full)));
    return Math.min(workedMs * limits.laneRestFactor, limits.laneRestMsMax) * share;
  }

  #settle(): void {
    const isPast = this.#reader.pastOf();
    for (const [settle, { workspaceId, place, keys }] of this.#places) if (isPast(workspaceId, place, keys)) settle(true);
  }

  /** One request that concerns very many leaves most of the time to the requests of others. News ends the rest. */
  #rest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(Math.max(0, ms), () => this.#endRest?.());
      this.#endRest = () => {
        this.#endRest = undefined;
        cancel();
        resolve();
      };
    });
  }

  #retry(error: unknown): void {
    const { name, logger, clock } = this.#parts;
    this.#failures += 1;
    this.#reader.forget();
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

const retryDoublingsMax = 20;
