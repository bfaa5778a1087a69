/**
 * Steps of the mesh, as messages of a log, each whole and behind a fence. Two resolvers may run at the same time: the fence lets through
 * one step after each checkpoint, and the resolver that is refused forgets its state and reads the checkpoint again.
 */
import { type BackgroundTask, createBackgroundTask } from "../../../platform/background-task.ts";
import type { Clock } from "../../../platform/clock.ts";
import { errorText } from "../../../platform/error-text.ts";
import { allDone, inFlight } from "../../../platform/in-flight.ts";
import { checkpointFromBytes, firstCheckpoint, type ResolverCheckpoint, tailsAfter } from "../../../platform/lane/resolver-checkpoint.ts";
import type { Reading } from "../../../platform/lane/read-on.ts";
import type { RowWatermarks } from "../../../platform/lane/row-watermarks.ts";
import { limits } from "../../../platform/limits.ts";
import type { FencedSteps } from "../../../platform/log/fenced-step.ts";
import type { Log } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { Numbering } from "../../../platform/user-number.ts";
import type { IdentityStore, IdentityWriter } from "../domain/ports.ts";
import { EarlyDeadLetters } from "./early-dead-letters.ts";
import {
  checkItems,
  fittingItems,
  isPublishable,
  type PackDeps,
  type PackedStep,
  packStep,
  readRows,
  rowEntriesOf,
  type RowEntry,
  type StepContent,
  type StepItem,
  type StepSizes,
} from "./pack-step.ts";
import { type EffectDeps, planEffects, type PlannedEffects, type RowChanges } from "./plan-effects.ts";
import { resolvePartition, type ResolverDeps } from "./resolve-partition.ts";
import type { Resolved } from "./resolve-records.ts";
import { restMs } from "./rest.ts";
import { StepLost, type StepOf, type Steps } from "./steps.ts";

export interface PublishDeps extends EffectDeps, PackDeps {
  readonly intake: Pick<Log, "trim" | "partitions">;
  readonly lanes: Pick<Log, "read" | "trim">;
  readonly fenced: FencedSteps;
  readonly identities: IdentityStore & IdentityWriter;
  readonly clock: Clock;
  readonly logger: Logger;
  /** By the limits of the server that is there now. */
  readonly sizes: () => StepSizes;
  /** See ResolveOptions; asked once for each step. */
  readonly numbering?: () => Numbering | undefined;
  /** Without them only the log records how far the rows come from it. */
  readonly watermarks?: RowWatermarks;
  /** Bytes of the intake and of what is sent on, after which both are trimmed. */
  readonly trimBytes: number;
  /** The identity rows of the step whose checkpoint is at `sequence`, and of all before it, are written. */
  readonly onWritten: (sequence: number) => void;
}

export interface LaneResolver extends Reading {
  /** A read waits for this record: no step before it is followed by a rest. */
  awaited(sequence: number): void;
}

/** A resolver whose steps are messages. */
export function resolveToLanes(deps: PublishDeps & Omit<ResolverDeps, "steps">): LaneResolver {
  const steps = new PublishedSteps(deps, () => reading.wake());
  const reading = resolvePartition({ ...deps, workspacesTogether: limits.workspacesTogetherMax, steps });
  return {
    ...reading,
    awaited(sequence) {
      if (steps.awaits(sequence)) reading.hurry();
    },
    async close() {
      await reading.close();
      await steps.close();
    },
  };
}

class PublishedSteps implements Steps {
  readonly #deps: PublishDeps;
  /** Undefined: has to be read again. */
  #at: StepAt | undefined;
  #resolvedAs: ReturnType<Steps["options"]> = {};
  /** The rows of the latest step, while the next one is resolved. */
  readonly #writing: BackgroundTask;
  /** The record up to which all rows are written. */
  #writtenThrough = 0;
  /** The last checkpoint whose watermark stands beside the rows; -1: none of ours. */
  #noted = -1;
  /** The last record that a read is known to wait for. */
  #awaited = 0;
  /** After the latest step. */
  #restMs = 0;
  readonly #earlyDeadLetters = new EarlyDeadLetters();
  readonly #trimming: BackgroundTask;
  #trimmed = 0;
  #trimAt = 0;
  /** Of records that were resolved and steps that went out since the last trim. */
  #bytes = 0;
  #report = { last: 0, before: 0 };

  /** `wake`: the resolver's next turn takes over, and so writes the rows that were not written. */
  constructor(deps: PublishDeps, wake: () => void) {
    this.#deps = deps;
    this.#writing = createBackgroundTask((error) => {
      deps.logger.error("rows_not_written", error, { partition: deps.partition });
      this.reset();
      wake();
    });
    this.#trimming = createBackgroundTask((error) => {
      deps.logger.warn("log_not_trimmed", { partition: deps.partition, message: errorText(error) });
    });
  }

  get checkpoint(): ResolverCheckpoint | undefined {
    return this.#at?.checkpoint;
  }

  get #here(): StepAt {
    if (this.#at === undefined) throw new StepLost("The rows of the step before were not written");
    return this.#at;
  }

  /**
   * Nothing is resolved before every row that earlier steps decided is written. Inside a record they were before its first
   * step went out; rows of it that stand in the log already are of a record that is to be resolved from the rows before.
   */
  async takeOver(): Promise<ResolverCheckpoint> {
    const { fenced, checkpointSubject, onWritten, watermarks, partition } = this.#deps;
    await Promise.allSettled([this.#writing.done()]);
    const message = await fenced.checkpoint(checkpointSubject);
    if (message === undefined) {
      this.#at = { sequence: 0, checkpoint: firstCheckpoint };
      return firstCheckpoint;
    }
    const { sequence } = message;
    const checkpoint = checkpointFromBytes(message.body);
    this.#earlyDeadLetters.takenOver(checkpoint.through);
    if (checkpoint.noted === true) watermarks?.expect(new Map([[`resolve-${partition}`, checkpoint.written]]));
    if (checkpoint.inside === undefined) {
      await this.#writeRows(readRows(await this.#rowsBetween(checkpoint.written, sequence)), sequence, checkpoint.through);
    }
    onWritten(sequence);
    this.#writtenThrough = checkpoint.through;
    this.#at = { sequence, checkpoint };
    return checkpoint;
  }

  /** Every step is published after the rows of the one before it were written: so these are of one step. */
  async #rowsBetween(after: number, before: number): Promise<Uint8Array[]> {
    const { lanes, layout, partition } = this.#deps;
    const found: Uint8Array[] = [];
    for (let from = after;;) {
      // A replica that lags would show fewer rows than were decided, and they would be missing for ever
      const bounds = { max: limits.laneRecordsMax, bytesMax: limits.laneBytesMax, current: true };
      const records = await lanes.read(layout.rows(partition), from, bounds);
      for (const { sequence, body } of records) {
        if (sequence > before) return found;
        if (sequence > from) found.push(body);
        from = Math.max(from, sequence);
      }
      if (records.length === 0) return found;
    }
  }

  bytesMax(): number {
    return limits.stepReadBytesMax;
  }

  /** A resolver goes on with a begun record as it was cut and numbered at its start. */
  options(): ReturnType<Steps["options"]> {
    const inside = this.#at?.checkpoint.inside;
    this.#resolvedAs = inside === undefined
      ? optionsOf(this.#deps.numbering?.())
      : { now: inside.now, partsInCommon: !inside.ownParts, ...optionsOf(numberingOf(inside)) };
    return this.#resolvedAs;
  }

  /** Plans again with fewer records what is too much for one step; one record alone may take several. */
  async commit(resolved: Resolved, { records, through, now, began }: StepOf): Promise<boolean> {
    const { checkpoint, sequence } = this.#here;
    const { clock, identities, intake } = this.#deps;
    const usersPerRecord = checkpoint.inside === undefined ? limits.laneUsersPerRecordMax : checkpoint.inside.usersPerRecord ?? 1;
    const planned = await planEffects(this.#deps, resolved, { usersPerRecord, agoMs: clock.monotonic() - began });
    await this.#writing.done();
    const whole = checkpoint.inside === undefined
      ? this.#packWhole(planned, { ...this.#next(checkpoint, sequence), now, through })
      : undefined;
    if (whole === undefined && records.length > 1) return false;
    if (checkpoint.inside !== undefined) checkGoesOn(planned, checkpoint.inside);
    this.#earlyDeadLetters.add(planned.deadLetters);
    if (planned.deadLetters.length > 0) await identities.setAside(planned.deadLetters);
    if (whole === undefined) {
      const items: readonly StepItem[] = [...planned.effects, ...rowEntriesOf(planned.changes)];
      checkItems(items);
      await this.#publishInSteps(planned, items, { through, now, usersPerRecord });
    } else await this.#publishLast(planned, whole);
    for (const { view } of resolved.workspaces) view.send();
    const at = this.#here;
    this.#earlyDeadLetters.inForce(through, planned.deadLetters);
    this.#writing.begin(() => this.#write(at, planned, resolved.workspaces));
    for (const { body } of records) this.#bytes += body.byteLength + limits.logMessageStoredBytes;
    this.#restMs = restMs(records, { tookMs: clock.monotonic() - began, partitions: intake.partitions });
    return true;
  }

  /** All of it as one step; undefined where that is too much. */
  #packWhole({ effects, changes, outcomes }: PlannedEffects, checkpoint: StepContent["checkpoint"]): PackedStep | undefined {
    const sizes = this.#deps.sizes();
    if (fittingItems(effects, sizes) < effects.length) return undefined;
    const packed = packStep(this.#deps, sizes, { effects, rows: { all: changes }, outcomes, checkpoint });
    return isPublishable(packed, sizes) ? packed : undefined;
  }

  /**
   * Effects, then rows, as many in each step as fit; the outcome goes with the last one, which alone is through the record:
   * until then the next resolver begins the record anew, and rows that went before count for nothing.
   */
  async #publishInSteps(planned: PlannedEffects, items: readonly StepItem[], { through, now, usersPerRecord }: InRecord): Promise<void> {
    const { partsInCommon, numbering } = this.#resolvedAs;
    for (;;) {
      const { checkpoint, sequence } = this.#here;
      const taken = checkpoint.inside?.taken ?? 0;
      const rest = items.slice(taken);
      const sizes = this.#deps.sizes();
      const some = rest.slice(0, fittingItems(rest, sizes));
      const isLast = some.length === rest.length;
      const effects = some.filter((item) => item.to !== "rows");
      const areAll = isLast && taken <= planned.effects.length;
      const rows = areAll ? { all: planned.changes } : { some: some.filter((item): item is RowEntry => item.to === "rows") };
      const next = { ...this.#next(checkpoint, sequence), now };
      if (isLast) {
        const content = { effects, rows, outcomes: planned.outcomes, checkpoint: { ...next, through } };
        return await this.#publishLast(planned, packStep(this.#deps, sizes, content));
      }
      const inside = {
        taken: taken + some.length,
        effects: planned.effects.length,
        now,
        usersPerRecord,
        ...(!partsInCommon && { ownParts: true as const }),
        ...(numbering !== undefined && { numbered: true as const }),
        ...(numbering === "lanes" && { inLanes: true as const }),
      };
      const content = { effects, rows, outcomes: [], checkpoint: { ...next, through: checkpoint.through, inside } };
      await this.#publish(packStep(this.#deps, sizes, content));
    }
  }

  async #publishLast({ spans }: PlannedEffects, packed: PackedStep): Promise<void> {
    await this.#publish(packed);
    for (const span of spans) span.end();
  }

  /**
   * What the next checkpoint holds of those before: rows count as written only up to where the record began. With whether the watermarks
   * beside the rows are as far as the checkpoint.
   */
  #next(checkpoint: ResolverCheckpoint, sequence: number): Pick<ResolverCheckpoint, "written" | "tails" | "noted"> {
    const written = checkpoint.inside === undefined ? sequence : checkpoint.written;
    return { written, tails: tailsAfter(checkpoint, sequence), ...(this.#noted >= written && { noted: true }) };
  }

  async #publish({ messages, checkpoint }: PackedStep): Promise<void> {
    const { fenced, checkpointSubject } = this.#deps;
    for (const { body } of messages) this.#bytes += body.byteLength;
    const outcome = await fenced.publishStep({ messages, checkpointSubject, expectedLast: this.#here.sequence });
    if (outcome.kind === "refused") throw new StepLost("Another resolver's step came first");
    if (outcome.kind === "unknown") throw new StepLost("The step may have landed or not", { cause: outcome.cause });
    this.#at = { sequence: outcome.sequence, checkpoint };
  }

  async #write({ sequence, checkpoint }: StepAt, planned: PlannedEffects, workspaces: Resolved["workspaces"]): Promise<void> {
    const rows = this.#writeRows(planned.changes, sequence, checkpoint.through);
    await allDone([rows, this.#noteOrigins(planned, checkpoint.through), this.#earlyDeadLetters.forgetNeedless(this.#deps)]);
    this.#writtenThrough = checkpoint.through;
    for (const { view } of workspaces) view.arrived();
    this.#deps.onWritten(sequence);
  }

  /** Those of the step at `sequence`, after which the intake is resolved up to `through`; with them the watermarks that record it. */
  async #writeRows(changes: readonly RowChanges[], sequence: number, through: number): Promise<void> {
    const { identities, watermarks, partition } = this.#deps;
    const noting = watermarks?.reach(new Map([[`resolve-${partition}`, sequence], [`intake-${partition}`, through]]));
    const some = changes.filter(({ rows }) => rows.size > 0);
    const writing = inFlight(some, limits.cassandraInFlightMax, ({ workspaceId, rows }) => identities.save(workspaceId, rows, sequence));
    await allDone([noting, writing]);
    if (watermarks !== undefined) this.#noted = sequence;
  }

  /** Beside the step and never in its way: who asked is kept for people who look, and a step is not done again for it. */
  async #noteOrigins({ origins }: PlannedEffects, through: number): Promise<void> {
    if (origins.length === 0) return;
    const { identities, partition, logger } = this.#deps;
    await identities.saveOrigins(partition, through, origins).catch((error: unknown) => {
      logger.warn("origins_not_kept", { partition, through, message: errorText(error) });
    });
  }

  /** Forgets intake, rows and checkpoints behind the checkpoint, by time and by bytes; never the last checkpoint. */
  async settle(wasBusy: boolean): ReturnType<Steps["settle"]> {
    if (!this.#trimming.isUnderWay) this.#trimming.begin(() => this.#trim());
    if (wasBusy) return { pauseMs: this.#restMs, unless: () => this.awaits() };
    const isDue = this.#at !== undefined && this.#writtenThrough > this.#trimmed;
    return isDue ? Math.max(1, this.#trimAt - this.#deps.clock.monotonic()) : "idle";
  }

  async #trim(): Promise<void> {
    if (this.#at === undefined) return;
    const { sequence, checkpoint } = this.#at;
    const [through, bytes] = [this.#writtenThrough, this.#bytes];
    const now = this.#deps.clock.monotonic();
    if (through <= this.#trimmed || (now < this.#trimAt && bytes < this.#deps.trimBytes)) return;
    // From the beginning on, so that a resolver with nothing to do does not ask for one that is under way, or has just failed
    this.#trimAt = now + limits.laneTrimMs;
    const { intake, lanes, fenced, layout, partition, checkpointSubject } = this.#deps;
    await intake.trim(partition, through);
    // The rows of the latest step, and those of a record that it is inside of, are still to be read by a resolver that takes over
    await lanes.trim(layout.rows(partition), checkpoint.written);
    await fenced.trimCheckpoints(checkpointSubject, sequence);
    // Processes that wait for outcomes may still be reading what was reported since the last time
    this.#report = { last: sequence - 1, before: this.#report.last };
    if (this.#report.before > 0) await lanes.trim(layout.reports(partition), this.#report.before - 1);
    this.#trimmed = through;
    this.#bytes -= bytes;
  }

  forget(): Promise<void> {
    return this.#writing.done();
  }

  reset(): void {
    this.#at = undefined;
  }

  /** A read waits for this record. Whether one waits that is not resolved. */
  awaits(sequence = 0): boolean {
    this.#awaited = Math.max(this.#awaited, sequence);
    return this.#awaited > (this.#at?.checkpoint.through ?? 0);
  }

  /** Ends what goes on. What fails is done by the next resolver. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#writing.done(), this.#trimming.done()]);
  }
}

/** A step that is out, or the checkpoint before the first one. */
interface StepAt {
  /** Of its checkpoint. */
  readonly sequence: number;
  readonly checkpoint: ResolverCheckpoint;
}

interface InRecord extends Pick<StepOf, "through" | "now"> {
  readonly usersPerRecord: number;
}

/** Only builds that number users know the table in which counts lie. */
function optionsOf(numbering: Numbering | undefined): ReturnType<Steps["options"]> {
  return { numbering, counts: numbering !== undefined };
}

function numberingOf(
  { numbered, inLanes }: Pick<NonNullable<ResolverCheckpoint["inside"]>, "numbered" | "inLanes">,
): Numbering | undefined {
  if (numbered !== true) return undefined;
  return inLanes === true ? "lanes" : "buckets";
}

/**
 * Throws where a record that is out in part is not planned as it was: passed over, or cut at another effect, it would be in force by half, and a
 * part of it twice after a redrive.
 */
function checkGoesOn({ effects, deadLetters: [failed] }: PlannedEffects, inside: NonNullable<ResolverCheckpoint["inside"]>): void {
  if (failed !== undefined) throw new Error(`Expected the rest of a record that is out in part, got ${failed.reason}`);
  // Builds before did not say how many there are
  const expected = inside.effects ?? effects.length;
  if (effects.length === expected) return;
  throw new Error(`Expected the ${expected} effects of a record that is out in part, got ${effects.length}`);
}
