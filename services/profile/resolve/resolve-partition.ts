/**
 * The resolver of one partition: reads the intake in order, decides, and hands on each step whole. What fails and does not
 * pass comes from one of the records: halved down to that one, it is passed over and kept, and the others go on.
 */
import { type BoundedNow, createBoundedNow } from "../../../platform/bounded-now.ts";
import type { Clock } from "../../../platform/clock.ts";
import { type Failures, type Reading, readOn } from "../../../platform/lane/read-on.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isPassing } from "../../../platform/faults/passing.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import { passedOver, type RecordDeps, type Resolved, resolveRecords } from "./resolve-records.ts";
import { type StepCheckpoint, StepLost, type Steps } from "./steps.ts";

export interface ResolverDeps extends RecordDeps {
  readonly intake: Pick<Log, "read" | "watch">;
  readonly steps: Steps;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly undoWindowMs: number;
}

/** Starts at once, and never gives up: what fails and passes is tried again from the place of the last step, for as long as it fails. */
export function resolvePartition(deps: ResolverDeps): Reading {
  const { clock, intake, partition } = deps;
  const resolver = new Resolver(deps);
  return readOn({
    clock,
    idleMs: limits.readerIdleMsMax,
    watch: (wake) =>
      intake.watch((changed) => {
        if (changed === partition) wake();
      }),
  }, resolver);
}

class Resolver {
  readonly #deps: ResolverDeps;
  readonly #bounded: BoundedNow;

  constructor(deps: ResolverDeps) {
    this.#deps = deps;
    const { partition, clock, logger } = deps;
    this.#bounded = createBoundedNow(clock, (aheadMs) => logger.warn("clock_ahead", { partition, aheadMs }));
  }

  async turn(): ReturnType<Steps["settle"]> {
    const { steps, intake, partition } = this.#deps;
    await this.#checkpoint();
    await steps.upkeep?.(() => this.#now());
    const { through, inside } = await this.#checkpoint();
    const max = inside === undefined ? limits.stepRecordsMax : 1;
    const read = await intake.read(partition, through, { max, bytesMax: steps.bytesMax() });
    const records = read.filter((record) => record.sequence > through);
    if (records.length > 0) await this.#resolve(records);
    const next = await steps.settle(records.length > 0);
    const last = records.at(-1)?.sequence ?? 0;
    // Behind a part of what was read the rest of it waits
    return steps.checkpoint !== undefined && steps.checkpoint.through < last ? "busy" : next;
  }

  recover(error: unknown, { count, isLogged }: Failures): void {
    const { partition, logger, steps } = this.#deps;
    steps.reset();
    if (error instanceof StepLost) logger.warn("resolver_fence_lost", { partition, reason: error.message });
    else if (isLogged) logger.error("resolver_failed", error, { partition, failures: count });
  }

  async #checkpoint(): Promise<StepCheckpoint> {
    const { steps, views } = this.#deps;
    if (steps.checkpoint !== undefined) return steps.checkpoint;
    // Another resolver may have gone on meanwhile
    views.clear();
    return await steps.takeOver();
  }

  /** Never steps back, whichever process resolved before, nor leaps ahead with a clock that does. */
  #now(): number {
    return this.#bounded.after(this.#deps.steps.checkpoint?.now ?? 0);
  }

  async #resolve(records: readonly LogRecord[]): Promise<void> {
    const { steps, views } = this.#deps;
    const before = steps.checkpoint;
    try {
      await this.#resolveTogether(records);
    } catch (error) {
      // What is in force is not done again, and a record that is published in part cannot be passed over
      if (stops(error, records) || error instanceof StepLost || steps.checkpoint !== before || before?.inside !== undefined) throw error;
      await steps.forget();
      views.clear();
      const [first] = records;
      if (records.length === 1 && first !== undefined) return await this.#passOver(first, error);
      // Those behind are read again in the next turn
      await this.#resolve(records.slice(0, records.length >> 1));
    }
  }

  async #passOver(record: LogRecord, error: unknown): Promise<void> {
    const { partition, clock } = this.#deps;
    const step = { records: [record], through: record.sequence, now: this.#now(), began: clock.monotonic() };
    await this.#commit(passedOver(partition, record, error), step);
  }

  async #resolveTogether(records: readonly LogRecord[]): Promise<void> {
    const { steps, clock, undoWindowMs } = this.#deps;
    const { now = this.#now(), ...as } = steps.options();
    const began = clock.monotonic();
    const resolved = await resolveRecords(this.#deps, records, { now, undoWindowMs, ...as });
    const through = records.at(-1)?.sequence ?? 0;
    if (await this.#commit(resolved, { records, through, now, began })) return;
    for (const { view } of resolved.workspaces) view.drop();
    await this.#resolveTogether(records.slice(0, records.length >> 1));
  }

  async #commit(resolved: Resolved, step: Parameters<Steps["commit"]>[1]): Promise<boolean> {
    const { steps, views, logger, partition } = this.#deps;
    if (!await steps.commit(resolved, step)) return false;
    for (const { sequence, reason } of resolved.deadLetters) logger.error("record_set_aside", new Error(reason), { partition, sequence });
    views.confirmed(step.through);
    views.evict();
    return true;
  }
}

/** What stands before a record that only a newer build can read is done first. */
function stops(error: unknown, { length }: readonly LogRecord[]): boolean {
  return isPassing(error) && !(error instanceof UnknownVersion && length > 1);
}
