/** From log records to a step: decode, group by workspace, resolve, apply. Nothing is written here. */
import { limits } from "../../../platform/limits.ts";
import type { LogRecord } from "../../../platform/log/log.ts";
import { createIdentities, type Identities } from "../domain/identities.ts";
import type { IntakeRecord } from "../domain/intake-record.ts";
import type { IdentityStore, ProfileStore, RecordOutcome, SetAsideRecord, Step, WorkspaceStep } from "../domain/ports.ts";
import type { ResolvedRecord } from "../domain/resolve-batch.ts";
import type { ResolveOptions } from "../domain/resolve-effects.ts";
import type { UserId } from "../domain/user-key.ts";
import { type AppliedWorkspace, type ApplyOptions, applyWorkspace } from "./apply-workspace.ts";
import { originsOf } from "./origins.ts";
import { type Resolve, resolveWorkspace } from "./resolve-workspace.ts";
import type { UserCache } from "./user-cache.ts";
import type { PureSteps, WorkingUser } from "./workspace-work.ts";

export interface PlanParts {
  readonly partition: number;
  readonly decode: (sequence: number, bytes: Uint8Array) => IntakeRecord;
  readonly resolve: Resolve;
  readonly steps: PureSteps;
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
  readonly cache: UserCache;
  readonly views: Views;
}

/** A step and what has to be remembered once it is written. */
export interface PlannedStep {
  readonly step: Step;
  readonly outcomes: readonly (readonly [sequence: number, outcome: RecordOutcome])[];
  readonly workspaces: readonly PlannedWorkspace[];
  /** Of the requests that are recorded. */
  readonly traces: readonly RecordTrace[];
}

export interface RecordTrace {
  readonly sequence: number;
  readonly traceparent: string;
}

export interface PlannedWorkspace {
  readonly view: Identities;
  readonly users: ReadonlyMap<UserId, WorkingUser>;
  readonly poison: AppliedWorkspace["poison"];
}

export async function planStep(
  parts: PlanParts & Pick<ApplyOptions, "blamed">,
  records: readonly LogRecord[],
  options: ResolveOptions,
): Promise<PlannedStep> {
  const { byWorkspace, setAside, traces } = decodeAll(parts, records);
  const bodies = new Map(records.map((record) => [record.sequence, record.body]));
  const steps: WorkspaceStep[] = [];
  const workspaces: PlannedWorkspace[] = [];
  const outcomes: [number, RecordOutcome][] = [];
  for (const [workspaceId, intake] of byWorkspace) {
    const view = parts.views.of(workspaceId);
    const { resolved, failed } = await resolveWorkspace(view, intake, { ...parts, options });
    const applied = await applyWorkspace(workspaceId, resolved, parts);
    const consent = resolved.flatMap((record) => record.consent);
    const origins = originsOf(intake, resolved);
    steps.push({ workspaceId, identities: view.changes(), consent, ...(origins.length > 0 && { origins }), ...applied.rows });
    workspaces.push({ view, users: applied.users, poison: applied.poison });
    for (const record of resolved) addOutcome(outcomes, record);
    for (const { sequence, error } of failed) {
      setAside.push({ partition: parts.partition, sequence, reason: reasonOf(error), body: bodies.get(sequence) ?? new Uint8Array() });
    }
  }
  for (const { sequence } of setAside) outcomes.push([sequence, { setAside: true }]);
  const through = records.at(-1)?.sequence ?? 0;
  return { step: { partition: parts.partition, through, now: options.now, workspaces: steps, setAside }, outcomes, workspaces, traces };
}

/** By workspace, in order; what cannot be read is set aside. */
export function decodeAll(
  { partition, decode }: Pick<PlanParts, "partition" | "decode">,
  records: readonly LogRecord[],
): { byWorkspace: Map<string, IntakeRecord[]>; setAside: SetAsideRecord[]; traces: RecordTrace[] } {
  const byWorkspace = new Map<string, IntakeRecord[]>();
  const traces: RecordTrace[] = [];
  const setAside: SetAsideRecord[] = [];
  for (const { sequence, body } of records) {
    try {
      const record = decode(sequence, body);
      if (record.traceparent !== undefined) traces.push({ sequence, traceparent: record.traceparent });
      const list = byWorkspace.get(record.workspaceId);
      if (list === undefined) byWorkspace.set(record.workspaceId, [record]);
      else list.push(record);
    } catch (error) {
      setAside.push({ partition, sequence, reason: reasonOf(error), body });
    }
  }
  return { byWorkspace, setAside, traces };
}

/** Remembers what was decided, where somebody may ask. */
export function addOutcome(outcomes: [number, RecordOutcome][], { sequence, outcome, items }: ResolvedRecord): void {
  if (outcome === undefined && items === undefined) return;
  outcomes.push([sequence, { ...(outcome && { repeat: outcome }), ...(items && { items }) }]);
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The resolver's views, one a workspace; the workspace that was longest without a step goes first. */
export interface Views {
  of(workspaceId: string): Identities;
  /** Only between steps. */
  evict(): void;
  clear(): void;
}

export function createViews(): Views {
  const views = new Map<string, Identities>();
  return {
    of(workspaceId) {
      const view = views.get(workspaceId) ?? createIdentities(workspaceId);
      views.delete(workspaceId);
      views.set(workspaceId, view);
      return view;
    },
    evict() {
      for (const workspaceId of views.keys()) {
        if (views.size <= limits.workspacesCachedMax) break;
        views.delete(workspaceId);
      }
      const share = Math.ceil(limits.identityCacheEntriesMax / Math.max(1, views.size));
      for (const view of views.values()) view.evict(share);
    },
    clear() {
      for (const view of views.values()) view.drop();
      views.clear();
    },
  };
}
