/** From intake records to what a step sends: decode, resolve each workspace, address every effect to its lane. */
import { Buffer } from "node:buffer";
import { setImmediate } from "node:timers/promises";
import { limits } from "../../../platform/limits.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { noTracer, type Span, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { Identities } from "../domain/identities.ts";
import type { IdentityKey } from "../domain/identity.ts";
import type { IntakeRecord } from "../domain/intake-record.ts";
import { type Addressed, laneRecordsOf } from "../domain/lane-item.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { ConsentRecord, IdentityStore, RecordOutcome, RequestOrigin, SetAsideRecord, StepOrigins } from "../domain/ports.ts";
import type { ResolvedRecord } from "../domain/resolve-batch.ts";
import type { ResolveOptions } from "../domain/resolve-effects.ts";
import { originsOf } from "../pass/origins.ts";
import { addOutcome, decodeAll, reasonOf, type Views } from "../pass/plan-step.ts";
import { type Resolve, resolveWorkspace } from "../pass/resolve-workspace.ts";

/** A consent record as its lane carries it. */
interface ConsentItem {
  readonly service: "subscription" | "messaging-status";
  readonly key: string;
  readonly body: Uint8Array;
}

export interface EffectParts {
  readonly partition: number;
  readonly decode: (sequence: number, bytes: Uint8Array) => IntakeRecord;
  readonly resolve: Resolve;
  readonly identities: IdentityStore;
  readonly views: Views;
  readonly layout: LaneLayout;
  readonly packItem: (item: Addressed) => string;
  readonly tracer?: Tracer;
  /** In order; a record that says the same of several users has `usersMax` of them at most. */
  readonly encodeConsent: (workspaceId: string, records: readonly ConsentRecord[], usersMax: number) => Iterable<ConsentItem>;
}

/** One effect, ready to be packed with others of its lane. */
export interface Effect {
  readonly to: "profile" | ConsentItem["service"];
  readonly lane: number;
  readonly body: Uint8Array;
}

/** Identity rows of one workspace, one net value a key; undefined deletes. */
export interface RowChanges {
  readonly workspaceId: string;
  readonly rows: ReadonlyMap<IdentityKey, unknown>;
}

export interface PlannedEffects {
  readonly effects: readonly Effect[];
  readonly changes: readonly RowChanges[];
  readonly outcomes: readonly (readonly [sequence: number, outcome: RecordOutcome])[];
  readonly setAside: readonly SetAsideRecord[];
  readonly views: readonly Identities[];
  readonly origins: StepOrigins;
  /** One for each request that is recorded; to be ended when the step is published. */
  readonly spans: readonly Span[];
}

export interface EffectOptions extends ResolveOptions {
  /** How many users a consent record has at most: who goes on inside a record has to cut it as it was cut. */
  readonly usersPerRecord: number;
}

/** The same records give the same effects in the same order, whoever plans them, as long as the options are the same. */
export async function planEffects(parts: EffectParts, records: readonly LogRecord[], options: EffectOptions): Promise<PlannedEffects> {
  const { byWorkspace, setAside } = decodeAll(parts, records);
  const effects: Effect[] = [];
  const changes: RowChanges[] = [];
  const outcomes: [number, RecordOutcome][] = [];
  const views: Identities[] = [];
  const spans = new Map<number, Span>();
  const origins: [workspaceId: string, origins: RequestOrigin[]][] = [];
  for (const [workspaceId, intake] of byWorkspace) {
    const view = parts.views.of(workspaceId);
    views.push(view);
    beginSpans(spans, parts, intake);
    const { resolved, failed } = await resolveWorkspace(view, intake, { ...parts, options });
    for (const record of resolved) {
      await addEffects(effects, { ...parts, ...options }, { workspaceId, record, span: spans.get(record.sequence) });
      addOutcome(outcomes, record);
    }
    const own = originsOf(intake, resolved);
    if (own.length > 0) origins.push([workspaceId, own]);
    changes.push({ workspaceId, rows: view.changes() });
    for (const { sequence, error } of failed) setAside.push(setAsideOf(parts.partition, records, { sequence, error }));
  }
  for (const { sequence } of setAside) outcomes.push([sequence, { setAside: true }]);
  return { effects, changes, outcomes, setAside, views, origins, spans: [...spans.values()] };
}

function beginSpans(spans: Map<number, Span>, { tracer = noTracer, partition }: EffectParts, records: readonly IntakeRecord[]): void {
  if (!tracer.on) return;
  const attributes = { "heddle.lane": `intake-${partition}` };
  for (const { sequence, traceparent } of records) {
    const span = tracer.child("resolve", traceparent, { kind: "consumer", attributes });
    if (span !== undefined) spans.set(sequence, span);
  }
}

/** Others get their turn while the records of a fan-out are encoded. */
async function addEffects(
  effects: Effect[],
  { packItem, encodeConsent, layout, usersPerRecord }: EffectParts & EffectOptions,
  { workspaceId, record, span }: { readonly workspaceId: string; readonly record: ResolvedRecord; readonly span: Span | undefined },
): Promise<void> {
  const trace = span === undefined ? undefined : { traceparent: span.traceparent };
  for (const own of laneRecordsOf(record)) {
    const body = Buffer.from(packItem({ workspaceId, item: { type: "record", record: own }, ...trace }));
    effects.push({ to: "profile", lane: layout.laneOf(workspaceId, own.userId), body });
  }
  const consent = trace === undefined ? record.consent : record.consent.map((one) => ({ ...one, ...trace }));
  let added = 0;
  for (const { service, key, body } of encodeConsent(workspaceId, consent, usersPerRecord)) {
    const lane = service === "subscription" ? layout.subscriptionLaneOf(workspaceId) : layout.laneOf(workspaceId, key);
    effects.push({ to: service, lane, body });
    added += 1;
    if (added % limits.fanOutRecordsPerTurn === 0) await setImmediate();
  }
}

function setAsideOf(
  partition: number,
  records: readonly LogRecord[],
  { sequence, error }: { sequence: number; error: unknown },
): SetAsideRecord {
  const body = records.find((record) => record.sequence === sequence)?.body ?? new Uint8Array();
  return { partition, sequence, reason: reasonOf(error), body };
}
