/** The pass: the single reader of a partition, which turns log records into durable rows, step by step, for ever. */
import { setImmediate } from "node:timers/promises";
import { type BoundedNow, createBoundedNow } from "../../../platform/bounded-now.ts";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { Tracer } from "../../../platform/telemetry/tracer.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { isPassing } from "../../../platform/passing.ts";
import type { RecordOutcome, Step, StepStore } from "../domain/ports.ts";
import { SubjectFault } from "../../../platform/subject-fault.ts";
import type { UserId } from "../domain/user-key.ts";
import { backoffMs } from "../../../platform/lane/backoff.ts";
import { redrivenBody } from "../intake/redriven.ts";
import { createOutcomes, type Outcomes } from "./outcomes.ts";
import { type PlannedStep, type PlanParts, planStep, reasonOf } from "./plan-step.ts";
import { troubleOf } from "../../../platform/lane/trouble.ts";
import { createProgress, type Progress } from "../../../platform/lane/progress.ts";
import { heldOf, planRedrive } from "./redrive.ts";
import { beginSpans, withConsentTraces } from "./step-spans.ts";
import { createStride } from "./stride.ts";
import { planSweep } from "./sweep.ts";

export interface PassParts extends PlanParts {
  readonly log: Log;
  readonly store: StepStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly undoWindowMs: number;
  readonly tracer?: Tracer;
  /** Whether a workspace's order lives in this partition. */
  readonly owns: (workspaceId: string) => boolean;
}

export interface Pass {
  readonly progress: Progress;
  readonly outcomes: Outcomes<RecordOutcome>;
  /** Why nothing is applied at the moment; undefined while all is well. */
  trouble(): string | undefined;
  /** What waits for a human, up to what one look shows. */
  readonly backlog: Backlog;
  /** Tries the records of held users, and what was set aside, once more before the next step. */
  redrive(): void;
  /** Ends after the step under way. */
  close(): Promise<void>;
}

export interface Backlog {
  readonly heldUsers: number;
  readonly setAside: number;
}

/**
 * Starts at once, and never gives up: what fails outside of the pure steps is tried again from the checkpoint for as
 * long as it fails. What a step does and how far the log is read are one transaction, so each record counts once.
 */
export function runPass(parts: PassParts): Pass {
  const pass = new RunningPass(parts);
  const done = pass.run();
  return {
    progress: pass.progress,
    outcomes: pass.outcomes,
    trouble: () => pass.trouble,
    get backlog() {
      return pass.backlog;
    },
    redrive: () => pass.redrive(),
    close: () => {
      pass.stop();
      return done;
    },
  };
}

class RunningPass {
  readonly progress: Progress;
  readonly outcomes: Outcomes<RecordOutcome>;
  trouble: string | undefined = "Not read from the start yet";
  backlog: Backlog = { heldUsers: 0, setAside: 0 };
  readonly #parts: PassParts;
  /** The checkpoint; undefined: has to be read again. */
  #position: number | undefined;
  #trimmed = 0;
  #latestNow = 0;
  #redriveDue = true;
  #setAsideDue = false;
  #sweepAt = 0;
  #forgetAt: number;
  readonly #bounded: BoundedNow;
  #closed = false;
  #news = true;
  #wake: (() => void) | undefined;
  #restsUntil: "news" | "end" = "news";
  readonly #stride = createStride();

  constructor(parts: PassParts) {
    this.#parts = parts;
    this.progress = createProgress(parts.clock);
    this.outcomes = createOutcomes(limits.outcomesKeptMax);
    this.#forgetAt = parts.clock.monotonic() + limits.originsSweepMs;
    const { partition, clock, logger } = parts;
    this.#bounded = createBoundedNow(clock, (aheadMs) => logger.warn("clock_ahead", { partition, aheadMs }));
  }

  async run(): Promise<void> {
    const unwatch = this.#parts.log.watch((partition) => {
      if (partition === this.#parts.partition) this.#notify();
    });
    let failures = 0;
    while (!this.#closed) {
      try {
        await this.#turn();
        failures = 0;
        this.trouble = undefined;
      } catch (error) {
        failures += 1;
        this.#recover(error, failures);
        await this.#rest(backoffMs(failures), "end");
      }
    }
    unwatch();
  }

  redrive(): void {
    this.#redriveDue = true;
    this.#setAsideDue = true;
    this.#notify();
  }

  stop(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async #turn(): Promise<void> {
    const position = this.#position ?? await this.#start();
    if (this.#redriveDue) await this.#redriveHeld(position);
    if (this.#parts.clock.monotonic() >= this.#sweepAt) await this.#sweep(position);
    this.#news = false;
    const { log, partition } = this.#parts;
    const records = await log.read(partition, position, { max: limits.passRecordsMax, bytesMax: this.#stride.bytesMax() });
    if (records.length > 0) return this.#step(records);
    await this.#trim(0);
    this.trouble = undefined;
    if (!this.#news && !this.#closed && this.#sweepAt > 0) await this.#rest(limits.passIdleMsMax, "news");
  }

  async #start(): Promise<number> {
    const { store, partition, clock, logger } = this.#parts;
    const position = await store.checkpoint(partition);
    this.#latestNow = Math.max(this.#latestNow, await store.latestNow(partition));
    const behindMs = this.#latestNow - clock.now();
    if (behindMs > limits.clockBehindMsMax) logger.warn("clock_behind", { partition, behindMs });
    this.#position = position;
    this.progress.advance(position);
    return position;
  }

  /** What fails and does not pass comes from one of the records: halved down to that one, the others go on. */
  async #step(records: readonly LogRecord[]): Promise<void> {
    await halved(records, {
      work: (some) => this.#stepTogether(some),
      alone: (record, error) => this.#stepAround(record, { error, blamed: new Map() }),
    });
  }

  /** The users it is about wait; where it is about none of them, the record is set aside. */
  async #stepAround(record: LogRecord, { error, blamed }: { error: unknown; blamed: Map<UserId, string> }): Promise<void> {
    if (!(error instanceof SubjectFault) || blamed.has(error.subject)) return await this.#passOver(record, error);
    blamed.set(error.subject, error.message);
    try {
      await this.#stepTogether([record], blamed);
    } catch (again) {
      if (isPassing(again)) throw again;
      await this.#stepAround(record, { error: again, blamed });
    }
  }

  async #passOver({ sequence, body }: LogRecord, error: unknown): Promise<void> {
    const { partition } = this.#parts;
    const setAside = [{ partition, sequence, reason: reasonOf(error), body }];
    const step = { partition, through: sequence, now: this.#now(), workspaces: [], setAside };
    await this.#commit({ step, outcomes: [[sequence, { setAside: true }]], workspaces: [], traces: [] });
  }

  #stepTogether(records: readonly LogRecord[], blamed: ReadonlyMap<UserId, string> = noBlame): Promise<void> {
    return this.#forgettingAfter(() => this.#stepOnce(records, blamed));
  }

  /** After a failure what is in memory may be ahead of the tables. */
  async #forgettingAfter(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.#parts.cache.clear();
      this.#parts.views.clear();
      throw error;
    }
  }

  async #stepOnce(records: readonly LogRecord[], blamed: ReadonlyMap<UserId, string>): Promise<void> {
    const { clock, undoWindowMs } = this.#parts;
    const began = clock.monotonic();
    const planned = await planStep({ ...this.#parts, blamed }, records, { now: this.#now(), undoWindowMs });
    this.#stride.took(records, clock.monotonic() - began);
    const { spans, consentTraces } = beginSpans(this.#parts, planned.traces, began);
    // Others get their turn between the work of planning and that of writing
    await setImmediate();
    await this.#commit(withConsentTraces(planned, consentTraces));
    for (const span of spans) span.end();
    await this.#trim(limits.logTrimRecordsMax);
  }

  async #commit({ step, outcomes, workspaces }: PlannedStep): Promise<void> {
    const { rowChars } = await this.#parts.store.commit(step);
    const { cache, views, partition, logger } = this.#parts;
    for (const [index, { users, view, poison }] of workspaces.entries()) {
      const workspaceId = step.workspaces[index]?.workspaceId ?? "";
      view.confirm();
      for (const [id, { profile, rowChars: before, held, openMerges, unreadable }] of users) {
        if (unreadable !== undefined) {
          cache.delete(workspaceId, id);
          continue;
        }
        const written = profile === undefined ? 0 : rowChars.get(profile);
        cache.set(workspaceId, id, { profile, rowChars: written ?? before, held, openMerges });
      }
      for (const [userId, { reason, mark }] of poison) {
        logger.error("user_held", new Error(reason), { workspaceId, userId, sequence: mark[0], part: mark[1] });
      }
    }
    for (const { sequence, reason } of step.setAside) logger.error("record_set_aside", new Error(reason), { partition, sequence });
    for (const [sequence, outcome] of outcomes) this.outcomes.put(sequence, outcome);
    if (changesBacklog(step)) await this.#countBacklog();
    this.#position = step.through;
    this.progress.advance(step.through);
    cache.evict();
    views.evict();
  }

  async #redriveHeld(position: number): Promise<void> {
    const held = await heldOf(this.#parts);
    await halved(held, {
      work: (users) =>
        this.#forgettingAfter(async () => {
          if (users.length > 0) await this.#commit(await planRedrive(this.#parts, users, position));
        }),
      alone: ({ workspaceId, userId }, error) => this.#parts.logger.error("user_not_redriven", error, { workspaceId, userId }),
    });
    if (this.#setAsideDue) await this.#redriveSetAside();
    await this.#countBacklog();
    this.#redriveDue = false;
    this.#setAsideDue = false;
  }

  /** Behind all others: what came after it was resolved without it. */
  async #redriveSetAside(): Promise<void> {
    const { profiles, partition, log, store } = this.#parts;
    const own = (await profiles.listSetAside(limits.heldRedriveMax)).filter((record) => record.partition === partition);
    for (const record of own) {
      const body = redrivenBody(record);
      if (body === undefined) continue;
      await log.append(partition, body, "low");
      await store.forgetSetAside(record);
    }
  }

  async #countBacklog(): Promise<void> {
    const { profiles, owns, partition } = this.#parts;
    const held = await profiles.listHeld(limits.heldRedriveMax);
    const setAside = await profiles.listSetAside(limits.heldRedriveMax);
    this.backlog = {
      heldUsers: held.filter((user) => owns(user.workspaceId)).length,
      setAside: setAside.filter((record) => record.partition === partition).length,
    };
  }

  /** What it fails for is left for the next time: nobody waits for it. */
  async #sweep(position: number): Promise<void> {
    try {
      await this.#forgettingAfter(() => this.#sweepOnce(position));
    } catch (error) {
      if (isPassing(error)) throw error;
      this.#parts.logger.error("sweep_failed", error, { partition: this.#parts.partition });
      this.#sweepAt = this.#parts.clock.monotonic() + limits.frozenSweepMs;
    }
  }

  async #sweepOnce(position: number): Promise<void> {
    const now = this.#now();
    const { step, views, isFull } = await planSweep(this.#parts, position, now);
    if (step !== undefined) await this.#parts.store.commit(step);
    for (const view of views) view.confirm();
    const at = this.#parts.clock.monotonic();
    this.#sweepAt = isFull ? 0 : at + limits.frozenSweepMs;
    if (at < this.#forgetAt) return;
    this.#forgetAt = at + limits.originsSweepMs;
    await this.#parts.store.forgetOrigins(now - limits.originsKeepMs);
  }

  /** Forgets records behind the checkpoint once there are `atLeast` of them. */
  async #trim(atLeast: number): Promise<void> {
    const position = this.#position ?? 0;
    if (position <= this.#trimmed + atLeast) return;
    await this.#parts.log.trim(this.#parts.partition, position);
    this.#trimmed = position;
  }

  /** Never steps back, whatever the clock does, also over a restart: the resolver's contract. Nor does it leap ahead with it. */
  #now(): number {
    this.#latestNow = this.#bounded.after(this.#latestNow);
    return this.#latestNow;
  }

  #recover(error: unknown, failures: number): void {
    this.#position = undefined;
    this.#parts.cache.clear();
    this.#parts.views.clear();
    this.trouble = `Cannot apply partition ${this.#parts.partition}: ${troubleOf(error)}`;
    this.#parts.logger.error("pass_failed", error, { partition: this.#parts.partition, failures });
  }

  #notify(): void {
    this.#news = true;
    if (this.#restsUntil === "news") this.#wake?.();
  }

  /** At most `ms`; what failed is left alone for that long even when there is news. */
  #rest(ms: number, until: "news" | "end"): Promise<void> {
    this.#restsUntil = until;
    return new Promise((resolve) => {
      const cancel = this.#parts.clock.after(ms, () => this.#wake?.());
      this.#wake = () => {
        this.#wake = undefined;
        cancel();
        resolve();
      };
      if (this.#closed) this.#wake();
    });
  }
}

const noBlame: ReadonlyMap<UserId, string> = new Map();

function changesBacklog(step: Step): boolean {
  return step.setAside.length > 0 || step.workspaces.some(({ held }) => held.size > 0);
}
