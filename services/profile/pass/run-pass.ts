/** The pass: the single reader of a partition, which turns log records into durable rows, step by step, for ever. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import type { Logger } from "../../../platform/logger.ts";
import { noTracer, type Span, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { RecordOutcome, Step, StepStore } from "../domain/ports.ts";
import { backoffMs } from "../../../platform/lane/backoff.ts";
import { createOutcomes, type Outcomes } from "./outcomes.ts";
import { type PlannedStep, type PlanParts, planStep, type RecordTrace } from "./plan-step.ts";
import { troubleOf } from "../../../platform/lane/trouble.ts";
import { createProgress, type Progress } from "../../../platform/lane/progress.ts";
import { planRedrive } from "./redrive.ts";
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
  /** Tries the records of held users once more, before the next step. */
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
  #sweepAt = 0;
  #forgetAt: number;
  #closed = false;
  #news = true;
  #wake: (() => void) | undefined;
  #restsUntil: "news" | "end" = "news";
  readonly #stride = createStride();

  constructor(parts: PassParts) {
    this.#parts = parts;
    this.progress = createProgress(parts.clock);
    this.outcomes = createOutcomes(limits.outcomesKeptMax);
    this.#forgetAt = parts.clock.now() + limits.originsSweepMs;
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
    this.#notify();
  }

  stop(): void {
    this.#closed = true;
    this.#wake?.();
  }

  async #turn(): Promise<void> {
    const position = this.#position ?? await this.#start();
    if (this.#redriveDue) await this.#redriveHeld(position);
    if (this.#parts.clock.now() >= this.#sweepAt) await this.#sweep(position);
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

  async #step(records: readonly LogRecord[]): Promise<void> {
    const { clock, undoWindowMs } = this.#parts;
    const began = clock.monotonic();
    const planned = await planStep(this.#parts, records, { now: this.#now(), undoWindowMs });
    this.#stride.took(records, clock.monotonic() - began);
    const { spans, consentTraces } = this.#beginSpans(planned.traces, began);
    // Others get their turn between the work of planning and that of writing
    await setImmediate();
    await this.#commit(withConsentTraces(planned, consentTraces));
    for (const span of spans) span.end();
    await this.#trim(limits.logTrimRecordsMax);
  }

  /** Resolving and applying, which began before the records were read, and writing, which begins now: the inner ones first. */
  #beginSpans(traces: readonly RecordTrace[], began: number): StepSpans {
    const { tracer = noTracer, clock, partition } = this.#parts;
    const consentTraces = new Map<number, string>();
    if (!tracer.on || traces.length === 0) return { spans: [], consentTraces };
    const attributes = { "heddle.lane": `intake-${partition}` };
    const agoMs = clock.monotonic() - began;
    const applying = traces.flatMap(({ sequence, traceparent }) => {
      const span = tracer.child("apply", traceparent, { kind: "consumer", attributes, agoMs });
      if (span !== undefined) consentTraces.set(sequence, span.traceparent);
      return span ?? [];
    });
    const writing = applying.flatMap(({ traceparent }) => tracer.child("store commit", traceparent) ?? []);
    return { spans: [...writing, ...applying], consentTraces };
  }

  async #commit({ step, outcomes, workspaces }: PlannedStep): Promise<void> {
    const { rowChars } = await this.#parts.store.commit(step);
    const { cache, views, partition, logger } = this.#parts;
    for (const [index, { users, view, poison }] of workspaces.entries()) {
      const workspaceId = step.workspaces[index]?.workspaceId ?? "";
      view.confirm();
      for (const [id, { profile, rowChars: before, held, openMerges }] of users) {
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
    const planned = await planRedrive(this.#parts, position);
    if (planned !== undefined) await this.#commit(planned);
    else await this.#countBacklog();
    this.#redriveDue = false;
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

  async #sweep(position: number): Promise<void> {
    const { step, views, isFull } = await planSweep(this.#parts, position, this.#now());
    if (step !== undefined) await this.#parts.store.commit(step);
    for (const view of views) view.confirm();
    const now = this.#parts.clock.now();
    this.#sweepAt = isFull ? 0 : now + limits.frozenSweepMs;
    if (now < this.#forgetAt) return;
    this.#forgetAt = now + limits.originsSweepMs;
    await this.#parts.store.forgetOrigins(now - limits.originsKeepMs);
  }

  /** Forgets records behind the checkpoint once there are `atLeast` of them. */
  async #trim(atLeast: number): Promise<void> {
    const position = this.#position ?? 0;
    if (position <= this.#trimmed + atLeast) return;
    await this.#parts.log.trim(this.#parts.partition, position);
    this.#trimmed = position;
  }

  /** Never steps back, whatever the clock does, also over a restart: the resolver's contract. */
  #now(): number {
    this.#latestNow = Math.max(this.#latestNow, this.#parts.clock.now());
    return this.#latestNow;
  }

  /** What is in memory may be ahead of the tables now. */
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

interface StepSpans {
  readonly spans: readonly Span[];
  /** By place of the request in the log: what the consent that it causes is a child of. */
  readonly consentTraces: ReadonlyMap<number, string>;
}

function withConsentTraces(planned: PlannedStep, traces: StepSpans["consentTraces"]): PlannedStep {
  if (traces.size === 0) return planned;
  const workspaces = planned.step.workspaces.map((workspace) => ({
    ...workspace,
    consent: workspace.consent.map((record) => {
      const traceparent = traces.get(record.sequence);
      return traceparent === undefined ? record : { ...record, traceparent };
    }),
  }));
  return { ...planned, step: { ...planned.step, workspaces } };
}

function changesBacklog(step: Step): boolean {
  return step.setAside.length > 0 || step.workspaces.some(({ held }) => held.size > 0);
}
