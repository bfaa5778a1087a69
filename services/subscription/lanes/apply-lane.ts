/** Applies records of the lane: loads the users, applies, chains the ledger, and writes it all at once. */
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type Applied, applyRecord, type StepUsers } from "../domain/apply-record.ts";
import type { MembershipRecord } from "../domain/membership-record.ts";
import type { UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";
import { decodeLaneRecord } from "./lane-message.ts";

/** What a step writes, whole or not at all. */
export interface LaneStep {
  readonly workspaces: readonly WorkspaceStep[];
  /** Records that could not be read: kept, shown, and passed over. */
  readonly setAside: readonly SetAside[];
  /** All that the step read; they leave the lane. */
  readonly taken: readonly LaneRecord[];
}

export interface WorkspaceStep {
  readonly workspaceId: string;
  readonly users: ReadonlyMap<UserId, UserMemberships>;
  /** After `erased`. */
  readonly entries: readonly LedgerEntry[];
  readonly erased: ReadonlySet<UserId>;
}

export interface SetAside {
  readonly record: LaneRecord;
  readonly reason: string;
}

export interface ApplyParts {
  readonly store: Pick<MembershipStore, "load" | "groups">;
  /** The ends of the users' chains. */
  readonly heads: (workspaceId: string, subjects: readonly UserId[]) => Promise<Map<string, ChainHead>>;
  readonly commit: (step: LaneStep) => Promise<void>;
  readonly logger: Logger;
}

export async function applyLane(parts: ApplyParts, taken: readonly LaneRecord[]): Promise<void> {
  const setAside: SetAside[] = [];
  const workspaces: WorkspaceStep[] = [];
  for (const [workspaceId, records] of Map.groupBy(taken, (record) => record.workspaceId)) {
    const decoded = records.flatMap((record) => decodedOrAside(record, setAside));
    workspaces.push(await applyWorkspace(parts, workspaceId, decoded));
  }
  await parts.commit({ workspaces, setAside, taken });
  for (const { record: { workspaceId, sequence, part }, reason } of setAside) {
    parts.logger.error("lane_record_set_aside", new Error(reason), { lane: "subscription", workspaceId, sequence, part });
  }
}

function decodedOrAside(record: LaneRecord, setAside: SetAside[]): MembershipRecord[] {
  try {
    return [decodeLaneRecord(record)];
  } catch (error) {
    setAside.push({ record, reason: error instanceof Error ? error.message : String(error) });
    return [];
  }
}

async function applyWorkspace(parts: ApplyParts, workspaceId: string, records: readonly MembershipRecord[]): Promise<WorkspaceStep> {
  const ids = [...new Set(records.flatMap(usersOf))];
  const open = new Set((await parts.store.groups(workspaceId)).flatMap(({ id, archived }) => (archived ? [] : [id])));
  const step: StepUsers = { users: await parts.store.load(workspaceId, ids), takesChanges: (groupId) => open.has(groupId) };
  const ledger = await openChains(parts, workspaceId, ids);
  for (const record of records) ledger.add(record, applyRecord(step, record));
  return { workspaceId, users: step.users, entries: ledger.entries, erased: ledger.erased };
}

function usersOf({ userId, change }: MembershipRecord): UserId[] {
  return "sourceId" in change ? [userId, change.sourceId] : [userId];
}

/** Sources of older merges need no end of their chains: what is written of them is that they are erased. */
async function openChains({ heads }: ApplyParts, workspaceId: string, ids: readonly UserId[]) {
  const ends = await heads(workspaceId, ids);
  const erased = new Set<UserId>();
  let entries: LedgerEntry[] = [];
  return {
    erased,
    get entries() {
      return entries;
    },
    add({ at, requestId, actor, mark: [sequence, part] }: MembershipRecord, applied: Applied): void {
      for (const { userId: subject, groupId: what, kind, before, after } of applied.changes) {
        const change = { subject, what, kind, before, after, at, actor, requestId, sequence, part };
        const next = chained({ workspaceId, head: ends.get(subject) ?? emptyChain }, change);
        ends.set(subject, next.head);
        entries.push(next.entry);
      }
      for (const subject of applied.erased) {
        erased.add(subject);
        ends.set(subject, emptyChain);
        entries = entries.filter((entry) => entry.subject !== subject);
      }
    },
  };
}
