/** A small applier for the simulation: loads, applies, saves, and can be interrupted between any two of them. */
import { isAfter, type RecordId } from "../../../platform/age.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import { copyProfile } from "../domain/merge/merge-profiles.ts";
import type { BlockedState, FrozenMerge, UserState } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { CassandraProfileStore } from "./cassandra.ts";

/** What stands in a lane: a record, one that holds its user, one that lets it go, one that freezes a merge into it. */
export type LaneEntry =
  & { readonly userId: string; readonly mark: RecordId }
  & (
    | { readonly kind: "record" | "failure"; readonly record: ProfileRecord }
    | { readonly kind: "release" }
    | { readonly kind: "freeze"; readonly merge: FrozenMerge; readonly mergeId: string }
  );

/** A user as the applier sees it while it works. */
interface Working {
  profile: Profile | undefined;
  mark: RecordId;
  isNew: boolean;
  openMerges: readonly string[];
  waiting: ProfileRecord[] | undefined;
  since: RecordId | undefined;
}

/** What a batch does, ready to be saved: any number of times, at any later moment. */
export interface Batch {
  readonly end: number;
  save(): Promise<void>;
}

/** Plans the entries of the lane from `start` to `end` over loaded (or cached, so maybe old) users. */
export async function planBatch(
  { store, workspaceId, cache }: { store: CassandraProfileStore["profiles"]; workspaceId: string; cache: Map<string, Working> },
  lane: readonly LaneEntry[],
  { start, end }: { start: number; end: number },
): Promise<Batch> {
  const entries = lane.slice(start, end);
  const users = await loadAll({ store, workspaceId, cache }, entries);
  const plan: Plan = {
    touched: new Set(),
    blocked: new Set(),
    blockedMore: new Map(),
    frozen: new Map(),
    journal: new Map(),
    forgotten: new Set(),
  };
  for (const entry of entries) applyEntry(plan, users.get(entry.userId) as Working, entry);
  const changes = {
    workspaceId,
    users: new Map([...plan.touched].map((id) => [id, stateOf(users.get(id) as Working)])),
    blocked: new Map([
      ...[...plan.blocked].map((id) => [id, blockedOf(users.get(id) as Working)] as const),
      ...Array.from(
        plan.blockedMore,
        ([id, records]) => [id, { reason: "failure", records, since: records.at(-1)?.mark ?? [0, 0] }] as const,
      ),
    ]),
    frozen: new Map([...plan.frozen].filter(([id]) => !plan.forgotten.has(id))),
    journal: new Map([...plan.journal].filter(([id]) => !plan.forgotten.has(id))),
    handoffs: new Map(),
  };
  for (const [id, user] of users) cache.set(id, { ...user, isNew: false });
  return {
    end,
    async save() {
      await store.forgetMerges(workspaceId, [...plan.forgotten]);
      await store.save(changes);
    },
  };
}

async function loadAll(
  { store, workspaceId, cache }: { store: CassandraProfileStore["profiles"]; workspaceId: string; cache: ReadonlyMap<string, Working> },
  entries: readonly LaneEntry[],
): Promise<Map<string, Working>> {
  const users = new Map<string, Working>();
  for (const { userId } of entries) {
    if (users.has(userId)) continue;
    const cached = cache.get(userId);
    if (cached) {
      users.set(userId, copyOf(cached));
      continue;
    }
    const loaded = (await store.loadUsers(workspaceId, [userId])).get(userId);
    const blocked = loaded?.blocked ? (await store.loadBlocked(workspaceId, [userId])).get(userId) : undefined;
    users.set(userId, {
      profile: loaded?.profile,
      mark: loaded?.mark ?? [0, 0],
      isNew: loaded?.mark === undefined,
      openMerges: loaded?.openMerges ?? [],
      waiting: blocked && [...blocked.records],
      since: blocked?.records[0]?.mark,
    });
  }
  return users;
}

function applyEntry(plan: Plan, user: Working, entry: LaneEntry): void {
  if (!isAfter(entry.mark, user.mark)) return;
  if (entry.kind === "release") return release(plan, user, entry);
  if (entry.kind === "freeze") return freeze(plan, user, entry);
  if (entry.record.change.type === "delete") return erase(plan, user, entry);
  if (user.waiting) return wait(plan, user, entry.record);
  if (entry.kind === "failure") {
    user.waiting = [entry.record];
    user.since = entry.mark;
    plan.blocked.add(entry.userId);
    return;
  }
  take(plan, user, entry.record);
}

function take(plan: Plan, user: Working, record: ProfileRecord): void {
  user.profile = applyRecord(user.profile, record) ?? undefined;
  user.mark = record.mark;
  plan.touched.add(record.userId);
  const newest = user.openMerges.at(-1);
  if (newest !== undefined) plan.journal.set(newest, [...plan.journal.get(newest) ?? [], record]);
}

/** A record that waits already is met again when the lane is read again, and written again: it may not have reached all. */
function wait(plan: Plan, user: Working, record: ProfileRecord): void {
  const isThere = user.waiting?.some(({ mark }) => mark[0] === record.mark[0] && mark[1] === record.mark[1]);
  if (!isThere) user.waiting?.push(record);
  if (!plan.blocked.has(record.userId)) plan.blockedMore.set(record.userId, [...plan.blockedMore.get(record.userId) ?? [], record]);
}

function release(plan: Plan, user: Working, { userId, mark }: LaneEntry): void {
  // A release that is read again frees no user who was blocked after it
  if (!user.waiting || !user.since || !isAfter(mark, user.since)) return;
  for (const record of user.waiting) take(plan, user, record);
  letGo(plan, user, { userId, mark });
}

function letGo(plan: Plan, user: Working, { userId, mark }: { userId: string; mark: RecordId }): void {
  user.waiting = undefined;
  user.since = undefined;
  user.mark = mark;
  plan.blockedMore.delete(userId);
  plan.blocked.add(userId);
  plan.touched.add(userId);
}

function freeze(plan: Plan, user: Working, { userId, mark, merge, mergeId }: Extract<LaneEntry, { kind: "freeze" }>): void {
  if (user.waiting || !user.profile) return;
  plan.frozen.set(mergeId, merge);
  user.profile.mark = mark;
  user.mark = mark;
  user.openMerges = [...user.openMerges, mergeId];
  plan.touched.add(userId);
}

function erase(plan: Plan, user: Working, { userId, mark }: LaneEntry): void {
  for (const mergeId of user.openMerges) plan.forgotten.add(mergeId);
  user.profile = undefined;
  user.openMerges = [];
  if (user.waiting) return letGo(plan, user, { userId, mark });
  user.mark = mark;
  plan.touched.add(userId);
}

function copyOf({ profile, ...others }: Working): Working {
  return { ...structuredClone(others), profile: profile && copyProfile(profile) };
}

function stateOf({ profile, mark, openMerges, isNew }: Working): UserState {
  return { profile: profile ? copyProfile(profile) : null, mark, openMerges, isNew };
}

function blockedOf({ waiting, since }: Working): BlockedState | null {
  return waiting && since ? { reason: "failure", records: [...waiting], since } : null;
}

interface Plan {
  readonly touched: Set<string>;
  readonly blocked: Set<string>;
  readonly blockedMore: Map<string, ProfileRecord[]>;
  readonly frozen: Map<string, FrozenMerge>;
  readonly journal: Map<string, ProfileRecord[]>;
  readonly forgotten: Set<string>;
}
