/** The port of a resolver's steps: where what it decides goes, and from where the next one goes on. */
import type { Turning } from "../../../platform/lane/read-on.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import type { ResolveOptions } from "../domain/resolve/effects.ts";
import type { CountOptions } from "./count-step.ts";
import type { Resolved } from "./resolve-records.ts";

export interface Steps {
  /** Up to where the order is resolved; undefined: it has to be read again. */
  readonly checkpoint: StepCheckpoint | undefined;
  /** Reads the checkpoint, once everything that was decided before it is in force. */
  takeOver(): Promise<StepCheckpoint>;
  /** What is due between two steps. `now` as for a step. */
  upkeep?(now: () => number): Promise<void>;
  /** Of the log, for the next step. */
  bytesMax(): number;
  /** How to resolve what comes next: as the resolver that began it did, where a part of it is out. */
  options(): Partial<Pick<ResolveOptions, "now" | "partsInCommon" | "numbering">> & CountOptions;
  /**
   * All of a step or nothing, in force when it resolves, and no more among the changes of the views. False: it is more than one step
   * holds, nothing is written, the store has the rows of all steps before, and fewer records are to be tried; one record alone always
   * fits. Throws StepLost where another resolver's step came first, or the checkpoint has to be read again.
   */
  commit(resolved: Resolved, step: StepOf): Promise<boolean>;
  /** After each turn: what comes next. `wasBusy`: there was something to resolve, and more may be there. */
  settle(wasBusy: boolean): ReturnType<Turning["turn"]>;
  /** A step failed: what is in memory beside the checkpoint may be ahead of what is written. The store has the rows of all steps before. */
  forget(): void | Promise<void>;
  /** The checkpoint, too. */
  reset(): void;
}

export interface StepCheckpoint {
  readonly through: number;
  /** The latest now of a step, Unix milliseconds; 0: there was none. */
  readonly now: number;
  /** Set where a part of the next record is out: the rest of it comes alone, and cannot be passed over. */
  readonly inside?: unknown;
}

export interface StepOf {
  readonly records: readonly LogRecord[];
  /** The last place that the step covers. */
  readonly through: number;
  readonly now: number;
  /** When resolving began, by the monotonic clock. */
  readonly began: number;
}

/** Another resolver's step landed, or it is not known whether ours did, or its rows were not written: what is in memory may not be so. */
export class StepLost extends Error {}
