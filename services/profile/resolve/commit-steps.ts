/** Steps as transactions: what is decided, what it does to users and how far the log is read are written together, so each record counts once. */
import type { Clock } from "../../../platform/clock.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { createProgress, type Progress } from "../../../platform/lane/progress.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import { isMetByAll } from "../../../platform/faults/passing.ts";
import { noTracer, type Span, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { Backlog } from "../../../platform/telemetry/work-metrics.ts";
import type { ApplyDeps } from "../apply/slow-path.ts";
import { applyStep, type SlowUser } from "../apply/apply-batch.ts";
import { type Pace, StepPace } from "../apply/pace.ts";
import { type Addressed, laneRecordsOf } from "../domain/resolve/lane-item.ts";
import type { IdentityStore, ProfileStore, RecordOutcome } from "../domain/ports.ts";
import { appendAgain, countBacklog, lettersToAppend } from "../intake/redriven.ts";
import { createOutcomes, type Outcomes } from "../reader/outcomes.ts";
import { type Redriven, redriving } from "./redriving.ts";
import type { Resolved, ResolvedWorkspace } from "./resolve-records.ts";
import type { Step, StepStore, UnitOfWork, WorkspaceStep } from "./step-store.ts";
import { beginSpans, traced } from "./step-spans.ts";
import type { StepCheckpoint, StepOf, Steps } from "./steps.ts";
import { transactionRestMs } from "./rest.ts";
import { createStride } from "./stride.ts";
import { planSweep } from "./sweep.ts";
import type { Views } from "./views.ts";

export interface CommitDeps extends Pick<ApplyDeps, "cache" | "eventsOf"> {
  readonly partition: number;
  readonly log: Pick<Log, "append" | "trim">;
  readonly store: StepStore;
  readonly pureSteps: ApplyDeps["steps"];
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
  readonly views: Views;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly tracer?: Tracer;
  /** Whether a workspace's order lives in this partition. */
  readonly owns: (workspaceId: string) => boolean;
  /** Called after every step that sent something to the services that own consent. */
  readonly onConsent: () => void;
}

export class CommittedSteps implements Steps {
  readonly progress: Progress;
  readonly outcomes: Outcomes<RecordOutcome> = createOutcomes(limits.outcomesKeptMax);
  /** Up to what one look shows. */
  backlog: Backlog = { blockedUsers: 0, deadLetters: 0 };
  /** Undefined: has to be read again. */
  checkpoint: StepCheckpoint | undefined;
  readonly #deps: CommitDeps;
  readonly #holds: ApplyDeps["holds"] = new Map();
  readonly #stride = createStride();
  #latestNow = 0;
  /** After the latest step. */
  #restMs = 0;
  #trimmed = 0;
  #trimAt: number;
  /** At the start newer code meets what waits; dead letters is tried on demand alone. */
  #due: Redrive | undefined = { skips: [], deadLetters: false, done: () => {} };
  /** Whether `backlog` is of the last step. */
  #isCounted = true;
  #sweepAt = 0;
  #forgetAt: number;

  constructor(deps: CommitDeps) {
    this.#deps = deps;
    this.progress = createProgress(deps.clock);
    this.#trimAt = deps.clock.monotonic() + limits.logTrimMs;
    this.#forgetAt = deps.clock.monotonic() + limits.originsSweepMs;
  }

  get #through(): number {
    return this.checkpoint?.through ?? 0;
  }

  async takeOver(): Promise<StepCheckpoint> {
    const { store, partition, clock, logger } = this.#deps;
    const through = await store.checkpoint(partition);
    this.#latestNow = Math.max(this.#latestNow, await store.latestNow(partition));
    const behindMs = this.#latestNow - clock.now();
    if (behindMs > limits.clockBehindMsMax) logger.warn("clock_behind", { partition, behindMs });
    const checkpoint = { through, now: this.#latestNow };
    this.checkpoint = checkpoint;
    this.progress.advance(through);
    return checkpoint;
  }

  bytesMax(): number {
    return this.#stride.bytesMax();
  }

  options(): ReturnType<Steps["options"]> {
    return { counts: true };
  }

  async commit(resolved: Resolved, { records, through, now, began }: StepOf): Promise<boolean> {
    const { clock, partition, onConsent, tracer = noTracer } = this.#deps;
    const effects = resolved.workspaces.flatMap(effectsOf);
    const pace = new StepPace(clock, began);
    const applied = await this.#apply(effects, pace);
    if (!pace.hasRested) await pace.rest();
    this.#stride.took(records, pace.workedMs);
    const applying = beginSpans(this.#deps, "apply", { ...resolved, agoMs: clock.monotonic() - began });
    const writing = [...applying.values()].flatMap(({ traceparent }) => tracer.child("store commit", traceparent) ?? []);
    const workspaces = resolved.workspaces.map((workspace) => stepOf(workspace, applying));
    await this.#write({ partition, through, now, workspaces, deadLetters: resolved.deadLetters }, applied, resolved.outcomes);
    for (const span of [...writing, ...applying.values()]) span.end();
    for (const { view } of resolved.workspaces) view.confirm();
    this.progress.advance(through);
    if (workspaces.some(({ consent }) => consent.length > 0)) onConsent();
    if (!this.#isCounted) await this.#countBacklog();
    const tookMs = clock.monotonic() - began;
    this.#restMs = transactionRestMs({ records: records.length, workspaces: workspaces.length, changes: effects.length, tookMs });
    return true;
  }

  async #apply(items: readonly Addressed[], pace: Pace): Promise<Applied> {
    const { store, cache, eventsOf, pureSteps } = this.#deps;
    const work = store.work();
    const events: PublishedEvent[] = [];
    function publish(some: readonly PublishedEvent[]): Promise<void> {
      for (const event of some) events.push(event);
      return Promise.resolve();
    }
    const slow = await applyStep({ profiles: work, steps: pureSteps, cache, holds: this.#holds, eventsOf, publish, pace }, items);
    return { work, events, slow };
  }

  async #write(step: Step, { work, events, slow }: Applied, outcomes: Resolved["outcomes"] = []): Promise<void> {
    await this.#deps.store.commit(step, { work, events });
    // At once: whatever fails from here on, the step is not done again, and `now` does not step back
    this.#latestNow = Math.max(this.#latestNow, step.now ?? 0);
    this.checkpoint = { through: step.through, now: this.#latestNow };
    for (const [sequence, outcome] of outcomes) this.outcomes.put(sequence, outcome);
    for (const { workspaceId, userId, blockedBy } of slow) {
      if (!blockedBy?.hasFailed) continue;
      const { reason, mark: [sequence, part] } = blockedBy;
      this.#deps.logger.error("user_held", new Error(reason), { workspaceId, userId, sequence, part });
    }
    if (work.changesBlocked || step.deadLetters.length > 0) this.#isCounted = false;
  }

  async settle(wasBusy: boolean): ReturnType<Steps["settle"]> {
    await this.#trim();
    if (this.#sweepAt === 0 || this.#due !== undefined) return "busy";
    if (wasBusy) return { pauseMs: this.#restMs, unless: () => this.progress.isAwaited };
    return this.#through > this.#trimmed ? Math.max(1, this.#trimAt - this.#deps.clock.monotonic()) : "idle";
  }

  /** Forgets records behind the checkpoint, by time and by number: each time is a transaction. */
  async #trim(): Promise<void> {
    const { clock, log, partition } = this.#deps;
    const through = this.#through;
    const now = clock.monotonic();
    if (through <= this.#trimmed || (now < this.#trimAt && through - this.#trimmed < limits.logTrimRecordsMax)) return;
    await log.trim(partition, through);
    this.#trimmed = through;
    this.#trimAt = now + limits.logTrimMs;
  }

  forget(): void {
    this.#deps.cache.clear();
    this.#deps.views.clear();
    this.#holds.clear();
  }

  reset(): void {
    this.checkpoint = undefined;
    this.forget();
  }

  /** Tries what waits once more before the next step, but for the records to skip; resolves when that is done. */
  redrive({ skips, deadLetters }: Redriven): Promise<void> {
    const before = this.#due;
    return new Promise((resolve) => {
      this.#due = {
        skips: [...before?.skips ?? [], ...skips],
        deadLetters: deadLetters || before?.deadLetters === true,
        done() {
          before?.done();
          resolve();
        },
      };
    });
  }

  async upkeep(now: () => number): Promise<void> {
    if (this.#due !== undefined) await this.#redrive(this.#due);
    if (!this.#isCounted) await this.#countBacklog();
    if (this.#deps.clock.monotonic() >= this.#sweepAt) await this.#sweep(now);
  }

  /** Goes on in the next turn where very many wait: records of others are resolved meanwhile. */
  async #redrive(due: Redrive): Promise<void> {
    due.work ??= redriving({ ...this.#deps, work: (some) => this.#forgettingAfter(() => this.#redriveSome(some)) }, due.skips);
    try {
      if (!(await due.work.next()).done) return;
    } catch (error) {
      due.work = undefined;
      throw error;
    }
    if (due.deadLetters) await this.#redriveSetAside();
    await this.#countBacklog();
    if (this.#due === due) this.#due = undefined;
    due.done();
  }

  async #redriveSome(items: readonly Addressed[]): Promise<void> {
    const { partition, clock } = this.#deps;
    const applied = await this.#apply(items, new StepPace(clock, clock.monotonic()));
    await this.#write({ partition, through: this.#through, workspaces: [], deadLetters: [] }, applied);
  }

  async #redriveSetAside(): Promise<void> {
    const { profiles, partition, log, store } = this.#deps;
    await appendAgain(lettersToAppend(profiles, partition), log, store);
  }

  /** After a step last: it is in force, whether its backlog can be counted or not. */
  async #countBacklog(): Promise<void> {
    const { profiles, owns, partition } = this.#deps;
    this.backlog = await countBacklog(profiles, { partition, owns });
    this.#isCounted = true;
  }

  /** What it fails for, also what a newer build wrote, is left for the next time: no request waits for it. */
  async #sweep(now: () => number): Promise<void> {
    try {
      await this.#forgettingAfter(() => this.#sweepOnce(now()));
    } catch (error) {
      if (isMetByAll(error)) throw error;
      this.#deps.logger.error("sweep_failed", error, { partition: this.#deps.partition });
      this.#sweepAt = this.#deps.clock.monotonic() + limits.frozenSweepMs;
    }
  }

  async #sweepOnce(now: number): Promise<void> {
    const { store, clock } = this.#deps;
    const { step, work, views, isFull } = await planSweep(this.#deps, this.#through, now);
    if (step !== undefined) await this.#write(step, { work, events: [], slow: [] });
    for (const view of views) view.confirm();
    const at = clock.monotonic();
    this.#sweepAt = isFull ? 0 : at + limits.frozenSweepMs;
    if (at < this.#forgetAt) return;
    this.#forgetAt = at + limits.originsSweepMs;
    await store.forgetOrigins(now - limits.originsKeepMs);
  }

  /** After a failure what is in memory may be ahead of the tables. */
  async #forgettingAfter(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.forget();
      throw error;
    }
  }
}

interface Redrive extends Redriven {
  readonly done: () => void;
  /** Under way. */
  work?: AsyncGenerator<undefined> | undefined;
}

interface Applied {
  readonly work: UnitOfWork;
  readonly events: readonly PublishedEvent[];
  readonly slow: readonly SlowUser[];
}

function effectsOf({ workspaceId, records }: ResolvedWorkspace): Addressed[] {
  return records.flatMap(laneRecordsOf).map((record) => ({ workspaceId, item: { type: "record", record } }));
}

function stepOf({ workspaceId, view, records, origins }: ResolvedWorkspace, spans: ReadonlyMap<number, Span>): WorkspaceStep {
  const consent = records.flatMap((record) => traced(record.consent, spans.get(record.sequence)));
  return { workspaceId, identities: view.changes(), consent, ...(origins.length > 0 && { origins }) };
}
