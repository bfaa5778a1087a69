/** From resolved records to what a step sends: every effect addressed to its lane. */
import { setImmediate } from "node:timers/promises";
import { limits } from "../../../platform/limits.ts";
import type { Span, Tracer } from "../../../platform/telemetry/tracer.ts";
import type { TimeSlices } from "../../../platform/time-slices.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { type Addressed, laneRecordsOf, userOfItem } from "../domain/resolve/lane-item.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import type { ConsentRecord, StepOrigins } from "../domain/ports.ts";
import type { ResolvedRecord } from "../domain/resolve/batch.ts";
import { laneKeyOf } from "../../../platform/user-number.ts";
import type { Resolved } from "./resolve-records.ts";
import { beginSpans, traced } from "./step-spans.ts";

/** A consent record as its lane carries it. */
interface ConsentItem {
  readonly service: "subscription" | "messaging-status";
  readonly key: string;
  readonly body: Uint8Array;
}

export interface EffectDeps {
  readonly partition: number;
  readonly layout: LaneLayout;
  readonly packItem: (item: Addressed) => Uint8Array;
  readonly tracer?: Tracer;
  readonly slices?: TimeSlices;
  /** In order; a record for several users has `usersMax` of them at most. */
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

export interface PlannedEffects extends Pick<Resolved, "outcomes" | "deadLetters"> {
  readonly effects: readonly Effect[];
  readonly changes: readonly RowChanges[];
  readonly origins: StepOrigins;
  /** One for each request that is recorded; to be ended when the step is published. */
  readonly spans: readonly Span[];
}

export interface EffectOptions {
  /** How many users a consent record has at most: a resolver that goes on inside a record has to cut it as it was cut. */
  readonly usersPerRecord: number;
  /** How long ago resolving began. */
  readonly agoMs: number;
}

/** The same records give the same effects in the same order, whichever process plans them, as long as the options are the same. */
export async function planEffects(deps: EffectDeps, resolved: Resolved, options: EffectOptions): Promise<PlannedEffects> {
  const effects: Effect[] = [];
  const spans = beginSpans(deps, "resolve", { ...resolved, ...options });
  for (const { workspaceId, records } of resolved.workspaces) {
    for (const record of records) {
      await deps.slices?.nextFirst();
      await addEffects(effects, { ...deps, ...options }, { workspaceId, record, span: spans.get(record.sequence) });
    }
  }
  return {
    effects,
    changes: resolved.workspaces.map(({ workspaceId, view }) => ({ workspaceId, rows: view.changes() })),
    origins: resolved.workspaces.flatMap(({ workspaceId, origins }) => (origins.length === 0 ? [] : [[workspaceId, origins] as const])),
    outcomes: resolved.outcomes,
    deadLetters: resolved.deadLetters,
    spans: [...spans.values()],
  };
}

/** Others get their turn while the records of a fan-out are encoded. */
async function addEffects(
  effects: Effect[],
  { packItem, encodeConsent, layout, usersPerRecord }: EffectDeps & EffectOptions,
  { workspaceId, record, span }: { readonly workspaceId: string; readonly record: ResolvedRecord; readonly span: Span | undefined },
): Promise<void> {
  const items = laneRecordsOf(record).map((own): Addressed => ({ workspaceId, item: { type: "record", record: own } }));
  for (const item of traced(items, span)) {
    effects.push({ to: "profile", lane: layout.laneOf(workspaceId, laneKeyOf(workspaceId, userOfItem(item.item))), body: packItem(item) });
  }
  let added = 0;
  for (const { service, key, body } of encodeConsent(workspaceId, traced(record.consent, span), usersPerRecord)) {
    const lane = service === "subscription" ? layout.subscriptionLaneOf(workspaceId) : layout.laneOf(workspaceId, key);
    effects.push({ to: service, lane, body });
    added += 1;
    if (added % limits.fanOutRecordsPerTurn === 0) await setImmediate();
  }
}
