/**
 * Applies records of a lane of the mesh, where each user's row is a write of its own. Records are taken in runs, in which a
 * user is party to one merge or undo at most: so it is always known whose row has to be durable first. What a run caused is
 * published before the next one is written, and again where a record turns out to be in already.
 */
import type { SetAside } from "../../../platform/lane/lane.ts";
import type { LaneBody } from "../../../platform/lane/lane-applier.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type TracedLane, tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import type { MembershipRecord } from "../domain/membership-record.ts";
import type { UserId } from "../domain/memberships.ts";
import { type LaneStep, reportSetAside } from "./apply-lane.ts";
import { decodeLaneBody } from "./lane-message.ts";
import { type PlanParts, planWorkspace, usersOf, type WorkspaceStep } from "./plan-step.ts";

export interface MeshApplyParts extends PlanParts {
  readonly commit: (step: LaneStep) => Promise<void>;
  /** Entries of these users whose cause lies at `sequence` or later. */
  readonly entriesSince: (workspaceId: string, users: readonly UserId[], sequence: number) => Promise<readonly LedgerEntry[]>;
  /** Resolves when they are durable; harmless to do again. */
  readonly publish: (workspaceId: string, entries: readonly LedgerEntry[]) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

/** Everything is saved and published when it resolves. Throws what store and log throw; doing it again is harmless. */
export async function applyMessages(parts: MeshApplyParts, bodies: readonly LaneBody[]): Promise<void> {
  const setAside: SetAside[] = [];
  const workspaces = decoded(bodies, setAside);
  if (setAside.length > 0) await parts.commit({ workspaces: [], setAside, taken: [] });
  reportSetAside(parts.logger, setAside);
  for (const [workspaceId, records] of workspaces) {
    for (const run of runsOf(records)) await applyRun(parts, workspaceId, run);
  }
}

function decoded(bodies: readonly LaneBody[], setAside: SetAside[]): Map<string, MembershipRecord[]> {
  const workspaces = new Map<string, MembershipRecord[]>();
  for (const { body, place: [sequence, part] } of bodies) {
    try {
      const { workspaceId, records } = decodeLaneBody(body);
      const list = workspaces.get(workspaceId);
      if (list === undefined) workspaces.set(workspaceId, [...records]);
      else list.push(...records);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      setAside.push({ record: { workspaceId: "", sequence, part, key: "", body }, reason });
    }
  }
  return workspaces;
}

/** A delete begins a run: what was told before it has to be published before it is forgotten. */
export function runsOf(records: readonly MembershipRecord[]): MembershipRecord[][] {
  const runs: MembershipRecord[][] = [];
  let run: MembershipRecord[] = [];
  const party = new Set<UserId>();
  for (const record of records) {
    const users = usersOf(record);
    const isMerge = users.length > 1;
    const last = run.at(-1)?.change.type;
    const cuts = run.length >= limits.consentRunRecordsMax || (isMerge && users.some((user) => party.has(user))) ||
      (record.change.type === "deleted" && last !== "deleted" && last !== undefined);
    if (cuts) {
      runs.push(run);
      run = [];
      party.clear();
    }
    run.push(record);
    if (isMerge) { for (const user of users) party.add(user); }
  }
  if (run.length > 0) runs.push(run);
  return runs;
}

/** Two rows that are read while another applier writes them may not fit each other: then they are read again. */
class Skew extends Error {}

const attemptsMax = 3;

async function applyRun(parts: MeshApplyParts, workspaceId: string, run: readonly MembershipRecord[]): Promise<void> {
  await tracedRecords(parts.traced, run, async (writing) => {
    const { step, stale } = await planRun(parts, workspaceId, run);
    await publishAgain(parts, workspaceId, stale);
    await writing(() => parts.commit({ workspaces: [step], setAside: [], taken: [] }));
    await parts.publish(workspaceId, step.entries);
  });
}

async function planRun(
  parts: MeshApplyParts,
  workspaceId: string,
  run: readonly MembershipRecord[],
): Promise<{ readonly step: WorkspaceStep; readonly stale: readonly MembershipRecord[] }> {
  function onSkew(): void {
    throw new Skew("Two users of one record were not read as of one moment");
  }
  for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
    try {
      return await planWorkspace({ ...parts, onSkew }, workspaceId, run);
    } catch (error) {
      if (!(error instanceof Skew)) throw error;
    }
  }
  return await planWorkspace(parts, workspaceId, run);
}

/** Whoever wrote these entries may have died before they were published. */
async function publishAgain(parts: MeshApplyParts, workspaceId: string, stale: readonly MembershipRecord[]): Promise<void> {
  if (stale.length === 0) return;
  const places = new Set(stale.map(({ mark }) => mark.join(".")));
  const users = [...new Set(stale.flatMap(usersOf))];
  const sequence = Math.min(...stale.map(({ mark }) => mark[0]));
  const entries = await parts.entriesSince(workspaceId, users, sequence);
  await parts.publish(workspaceId, entries.filter((entry) => places.has(`${entry.sequence}.${entry.part}`)));
}
