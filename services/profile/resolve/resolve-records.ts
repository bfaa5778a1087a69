/** From log records to what they mean: decoded, by workspace, resolved. Nothing is written here, and it is the same whatever becomes of it. */
import { errorText } from "../../../platform/error-text.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import type { TimeSlices } from "../../../platform/time-slices.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import type { Identities } from "../domain/identity/identities.ts";
import type { IntakeRecord } from "../domain/record/intake-record.ts";
import type { DeadLetterRecord, IdentityStore, RecordOutcome, RequestOrigin } from "../domain/ports.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { ResolvedRecord } from "../domain/resolve/batch.ts";
import type { ResolveOptions } from "../domain/resolve/effects.ts";
import { type CountOptions, countStep } from "./count-step.ts";
import { type Resolve, resolveWorkspace } from "./resolve-workspace.ts";
import type { Views } from "./views.ts";

export interface RecordDeps {
  readonly partition: number;
  readonly decode: (sequence: number, bytes: Uint8Array) => IntakeRecord;
  readonly resolve: Resolve;
  readonly identities: IdentityStore;
  readonly views: Views;
  /** How many workspaces of a step are resolved at the same time, so that none waits for rows that another one reads; 1 where reading takes no wait. */
  readonly workspacesTogether?: number;
  /** Of the thread, where many workspaces of a step would keep it for long. */
  readonly slices?: TimeSlices;
}

/** What a run of records does, and what has to be remembered once that is in force. */
export interface Resolved {
  readonly workspaces: readonly ResolvedWorkspace[];
  readonly outcomes: readonly (readonly [sequence: number, outcome: RecordOutcome])[];
  /** Records that are passed over. */
  readonly deadLetters: readonly DeadLetterRecord[];
  /** Of the requests that are recorded. */
  readonly traces: readonly RecordTrace[];
}

export interface ResolvedWorkspace {
  readonly workspaceId: string;
  /** Has what the records change of identity rows. */
  readonly view: Identities;
  readonly records: readonly ResolvedRecord[];
  readonly origins: readonly RequestOrigin[];
}

interface RecordTrace {
  readonly sequence: number;
  readonly traceparent: string;
}

export async function resolveRecords(
  deps: RecordDeps,
  records: readonly LogRecord[],
  options: ResolveOptions & CountOptions,
): Promise<Resolved> {
  const { byWorkspace, deadLetters, traces } = decodeAll(deps, records);
  const outcomes: [number, RecordOutcome][] = [];
  const all = await inFlight([...byWorkspace], deps.workspacesTogether ?? 1, async ([workspaceId, intake]) => {
    await deps.slices?.nextFirst();
    const view = deps.views.of(workspaceId);
    const { resolved, failed } = await resolveWorkspace(view, intake, { ...deps, options });
    if (options.counts) await countStep(view, resolved, { now: options.now, store: deps.identities });
    return { failed, workspace: { workspaceId, view, records: resolved, origins: originsOf(intake, resolved) } };
  });
  for (const { failed, workspace: { records: resolved } } of all) {
    for (const record of resolved) addOutcome(outcomes, record);
    for (const { sequence, error } of failed) {
      const body = records.find((record) => record.sequence === sequence)?.body ?? new Uint8Array();
      deadLetters.push({ partition: deps.partition, sequence, reason: errorText(error), body });
    }
  }
  for (const { sequence } of deadLetters) outcomes.push([sequence, { setAside: true }]);
  return { workspaces: all.map(({ workspace }) => workspace), outcomes, deadLetters, traces };
}

/** What becomes of a record that cannot be carried out. */
export function passedOver(partition: number, { sequence, body }: LogRecord, error: unknown): Resolved {
  const deadLetters = [{ partition, sequence, reason: errorText(error), body }];
  return { workspaces: [], outcomes: [[sequence, { setAside: true }]], deadLetters, traces: [] };
}

/** By workspace, in order; what cannot be read is set aside. Throws UnknownVersion. */
function decodeAll(
  { partition, decode }: RecordDeps,
  records: readonly LogRecord[],
): { byWorkspace: Map<string, IntakeRecord[]>; deadLetters: DeadLetterRecord[]; traces: RecordTrace[] } {
  const byWorkspace = new Map<string, IntakeRecord[]>();
  const traces: RecordTrace[] = [];
  const deadLetters: DeadLetterRecord[] = [];
  for (const { sequence, body } of records) {
    try {
      const record = decode(sequence, body);
      if (record.traceparent !== undefined) traces.push({ sequence, traceparent: record.traceparent });
      const list = byWorkspace.get(record.workspaceId);
      if (list === undefined) byWorkspace.set(record.workspaceId, [record]);
      else list.push(record);
    } catch (error) {
      if (error instanceof UnknownVersion) throw error;
      deadLetters.push({ partition, sequence, reason: errorText(error), body });
    }
  }
  return { byWorkspace, deadLetters, traces };
}

/** Remembers what was decided, where the caller may ask for it. */
function addOutcome(outcomes: [number, RecordOutcome][], { sequence, outcome, items }: ResolvedRecord): void {
  if (outcome === undefined && items === undefined) return;
  outcomes.push([sequence, { ...(outcome && { repeat: outcome }), ...(items && { items }) }]);
}

/** The requests worth remembering, which set a field of a profile, in the order of the log. `records` holds all that are resolved. */
function originsOf(records: readonly IntakeRecord[], resolved: readonly ResolvedRecord[]): RequestOrigin[] {
  const setting = new Set<number>();
  for (const { sequence, profiles } of resolved) if (profiles.some(setsFields)) setting.add(sequence);
  if (setting.size === 0) return [];
  return records.flatMap(({ sequence, requestId, actor, receivedAt, body }) =>
    setting.has(sequence) ? [{ sequence, requestId, actor, receivedAt, what: body.type }] : []
  );
}

/** Events, purchases and engagements only count. */
function setsFields({ change: { type } }: ProfileRecord): boolean {
  return type !== "event" && type !== "purchase" && type !== "engagement";
}
