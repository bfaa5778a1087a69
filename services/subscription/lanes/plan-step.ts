/** Records of one workspace applied to the users they speak of: what a step writes. */
import type { Blame, Waiting } from "../../../platform/lane/hold-back.ts";
import { hasMoved, isIn } from "../../../platform/lane/mark.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { type Applied, applyRecord, type StepUsers, writtenFirst } from "../domain/apply-record.ts";
import { takesChangesAt } from "../domain/group-order.ts";
import type { MembershipRecord } from "../domain/membership-record.ts";
import type { Mark, UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";

export interface WorkspaceStep {
  readonly workspaceId: string;
  /** Those that changed. */
  readonly users: ReadonlyMap<UserId, UserMemberships>;
  /** Users whose rows are durable before those of the others are written. */
  readonly first: ReadonlySet<UserId>;
  /** After `erased`. */
  readonly entries: readonly LedgerEntry[];
  /** Where the chains end after the step. */
  readonly ends: ReadonlyMap<UserId, ChainHead>;
  readonly erased: ReadonlyMap<UserId, Mark>;
}

export interface PlanParts extends Pick<StepUsers, "onSkew"> {
  readonly store: Pick<MembershipStore, "groups">;
  /** What waits for a human, of one workspace. */
  readonly waiting: (workspaceId: string) => Promise<readonly Waiting[]>;
  /** The pure step; an argument so that a test can make it throw. */
  readonly applyRecord?: typeof applyRecord;
  readonly loadForStep: (
    workspaceId: string,
    ids: readonly UserId[],
  ) => Promise<{ readonly users: Map<UserId, UserMemberships>; readonly ends: Map<UserId, ChainHead> }>;
}

/** Two users of one record were not read as of one moment: they have to be read again. */
export class Skew extends Error {}

/** `stale`: records that were in before, whose entries are written already. */
export async function planWorkspace(
  parts: PlanParts,
  workspaceId: string,
  { records, blame }: { readonly records: readonly MembershipRecord[]; readonly blame: Blame<MembershipRecord> },
): Promise<{ readonly step: WorkspaceStep; readonly stale: readonly MembershipRecord[] }> {
  const ids = [...new Set(records.flatMap(usersOf))];
  // Records of which nobody can tell the workspace leave none to ask for
  const groupsOf = records.length === 0 ? [] : parts.store.groups(workspaceId);
  const [groups, { users, ends }] = await Promise.all([groupsOf, parts.loadForStep(workspaceId, ids)]);
  const known = new Map(groups.map((group) => [group.id, group]));
  const marks = new Map(Array.from(users, ([id, { mark }]) => [id, mark]));
  function takesChanges(groupId: string, sequence: number): boolean {
    const group = known.get(groupId);
    return group !== undefined && takesChangesAt(group, sequence);
  }
  const step: StepUsers = { users, takesChanges, ...(parts.onSkew && { onSkew: parts.onSkew }) };
  const ledger = openChains(workspaceId, ends);
  applyAll(records, { blame, apply: (record) => ledger.add(record, (parts.applyRecord ?? applyRecord)(step, record)) });
  const deleted = new Set(records.flatMap(({ userId, change }) => (change.type === "deleted" ? userId : [])));
  // Of a user who took others in, they: its own row says that all of them are gone
  const gone = [...ledger.erased.keys()].filter((id) => !deleted.has(id));
  const first = new Set([...records.map(writtenFirst).filter((id) => id !== undefined), ...gone]);
  const changed = new Map([...step.users].filter(([id, { mark }]) => hasMoved(mark, marks.get(id))));
  const stale = records.filter(({ mark, ...record }) => usersOf(record).some((id) => isIn(mark, marks.get(id))));
  return { step: { workspaceId, users: changed, first, entries: ledger.entries, ends, erased: ledger.erased }, stale };
}

/** Users of a record that throws are passed over from there on: they may be half changed. */
function applyAll(
  records: readonly MembershipRecord[],
  { blame, apply }: { readonly blame: Blame<MembershipRecord>; readonly apply: (record: MembershipRecord) => void },
): void {
  const spoiled = new Set<UserId>();
  for (const record of records) {
    const users = usersOf(record);
    try {
      if (!users.some((user) => spoiled.has(user))) {
        apply(record);
        continue;
      }
    } catch (error) {
      if (error instanceof Skew) throw error;
      blame(record, error);
    }
    for (const user of users) spoiled.add(user);
  }
}

export function usersOf({ userId, change }: Pick<MembershipRecord, "userId" | "change">): UserId[] {
  return "sourceId" in change ? [userId, change.sourceId] : [userId];
}

/** Sources of older merges need no end of their chains: what is written of them is that they are erased. */
function openChains(workspaceId: string, ends: Map<UserId, ChainHead>) {
  const erased = new Map<UserId, Mark>();
  let entries: LedgerEntry[] = [];
  return {
    erased,
    get entries() {
      return entries;
    },
    add({ at, requestId, actor, mark }: MembershipRecord, applied: Applied): void {
      const [sequence, part] = mark;
      for (const { userId: subject, groupId: what, kind, before, after } of applied.changes) {
        const change = { subject, what, kind, before, after, at, actor, requestId, sequence, part };
        const next = chained({ workspaceId, head: ends.get(subject) ?? emptyChain }, change);
        ends.set(subject, next.head);
        entries.push(next.entry);
      }
      for (const subject of applied.erased) {
        erased.set(subject, mark);
        ends.set(subject, emptyChain);
        entries = entries.filter((entry) => entry.subject !== subject);
      }
    },
  };
}
