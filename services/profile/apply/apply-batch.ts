/** A run of lane messages applied: each user loaded once, changed in memory, written once; the few that need more, on the slow path. */
import { inFlight } from "../../../platform/in-flight.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { limits } from "../../../platform/limits.ts";
import type { Addressed, LaneItem } from "../domain/resolve/lane-item.ts";
import { userOfItem } from "../domain/resolve/lane-item.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import type { PureSteps } from "./pure-steps.ts";
import { type ApplyDeps, applySlowly, type Outcome, type UserItems } from "./slow-path.ts";
import { isPast, type LaneChanges, type LaneUser, laneUser, noChanges, noteRow, stateOf } from "./lane-user.ts";
import { isTwoSided } from "./run-records.ts";

/** A user whose records took the slow path. */
export interface SlowUser extends Outcome {
  readonly workspaceId: string;
  readonly userId: UserId;
}

/**
 * Everything is saved and every due paid when it resolves, but for what `publish` is still at. Throws what passes; doing it
 * again is harmless. What does not pass is about a user, whose records wait from then on.
 */
export async function applyBatch(deps: ApplyDeps, addressed: readonly Addressed[]): Promise<SlowUser[]> {
  // A pace measures one workspace's work after the other; without one, none waits for what is read and written of another
  const together = deps.pace === undefined ? limits.workspacesOfLaneTogetherMax : 1;
  const slow = await inFlight([...byWorkspace(addressed)], together, ([workspaceId, items]) => applyUsers(deps, workspaceId, [...items]));
  deps.cache.evict();
  return slow.flat();
}

/** The effects of a step that one process applies at once, and what they announce, until none is left: an announcement only goes to a user who waits for it. */
export async function applyStep(deps: Omit<ApplyDeps, "announce">, items: readonly Addressed[]): Promise<SlowUser[]> {
  const slow: SlowUser[] = [];
  let announced: Addressed[] = [];
  async function announce(workspaceId: string, item: LaneItem): Promise<void> {
    announced.push({ workspaceId, item });
  }
  for (let next = items; next.length > 0; next = announced) {
    announced = [];
    slow.push(...await applyBatch({ ...deps, announce }, next));
  }
  return slow;
}

async function applyUsers(deps: ApplyDeps, workspaceId: string, users: readonly UserOfBatch[]): Promise<SlowUser[]> {
  const others = await halved(users, {
    work: (some) => applyOwnRows(deps, workspaceId, some),
    alone: ([userId, own]) => [{ workspaceId, userId, items: own }],
  });
  async function applyOne(user: UserItems): Promise<SlowUser> {
    deps.pace?.begin();
    const outcome = await applySlowly(deps, user);
    await deps.pace?.rest();
    return { ...outcome, workspaceId, userId: user.userId };
  }
  if (deps.pace !== undefined) return await inFlight(others.flat(), 1, applyOne);
  // Users wait for each other as those of two lanes do; whom others wait for go first, so that few have to
  const { first = [], second = [] } = Object.groupBy(others.flat(), (user) => user.items.some(waitsForPartner) ? "second" : "first");
  const slow = await inFlight(first, limits.slowUsersTogetherMax, applyOne);
  return [...slow, ...await inFlight(second, limits.slowUsersTogetherMax, applyOne)];
}

/** The target of a merge for its source, and a source that comes back for its target. */
function waitsForPartner(item: LaneItem): boolean {
  return item.type === "record" && (item.record.change.type === "await" || item.record.change.type === "restore");
}

function byWorkspace(addressed: readonly Addressed[]): Map<string, Map<UserId, LaneItem[]>> {
  const workspaces = new Map<string, Map<UserId, LaneItem[]>>();
  for (const { workspaceId, item } of addressed) {
    const users = workspaces.get(workspaceId) ?? new Map<UserId, LaneItem[]>();
    workspaces.set(workspaceId, users);
    const id = userOfItem(item);
    const items = users.get(id);
    if (items === undefined) users.set(id, [item]);
    else items.push(item);
  }
  return workspaces;
}

/** Applies and saves the users that need nothing but their row; returns the others. */
async function applyOwnRows(deps: ApplyDeps, workspaceId: string, users: readonly UserOfBatch[]): Promise<UserItems[]> {
  deps.pace?.begin();
  const others: UserItems[] = [];
  const loaded = await loadUsers(deps, workspaceId, users.map(([userId]) => userId));
  const changes = noChanges(workspaceId);
  const done: LaneUser[] = [];
  const applied: LaneItem[] = [];
  for (const [userId, items] of users) {
    const user = loaded.get(userId);
    if (user !== undefined && isPlain(user, items) && applyOwn(deps.steps, user, { items, changes })) {
      done.push(user);
      for (const item of items) applied.push(item);
    } else others.push({ workspaceId, userId, items });
  }
  try {
    await deps.pace?.rest();
    // Before the state is saved: where a record's event cannot be made, its user has to wait
    const events = deps.eventsOf(workspaceId, applied.flatMap((item) => (item.type === "record" ? [item.record] : [])));
    await savePlain(deps, changes, done);
    // Not awaited here: only keeping the lane's position waits for it
    if (events.length > 0) deps.publish(events).catch(() => {});
    return others;
  } catch (error) {
    // They are changed in memory, and not in the store; the others may be changed too, in part
    for (const [userId] of users) deps.cache.delete(workspaceId, userId);
    throw error;
  }
}

type UserOfBatch = readonly [userId: UserId, items: readonly LaneItem[]];

async function loadUsers({ cache, profiles }: ApplyDeps, workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, LaneUser>> {
  const users = new Map<UserId, LaneUser>();
  const missing: UserId[] = [];
  for (const id of ids) {
    const cached = cache.get(workspaceId, id);
    if (cached === undefined) missing.push(id);
    else users.set(id, laneUser(id, cached));
  }
  if (missing.length === 0) return users;
  for (const [id, stored] of await profiles.loadUsers(workspaceId, missing)) users.set(id, laneUser(id, stored));
  return users;
}

function isPlain(user: LaneUser, items: readonly LaneItem[]): boolean {
  return !user.blocked &&
    items.every((item) => item.type === "record" && item.record.change.type !== "delete" && !isTwoSided(item.record.change));
}

/** False where the pure step threw: the user, half changed now, is loaded again, on the slow path. */
function applyOwn(steps: PureSteps, user: LaneUser, { items, changes }: { items: readonly LaneItem[]; changes: LaneChanges }): boolean {
  const newest = user.openMerges.at(-1);
  const journal: ProfileRecord[] = [];
  const before = user.mark;
  try {
    for (const item of items) {
      if (item.type !== "record" || isPast(user, item.record.mark)) continue;
      user.profile = steps.applyRecord(user.profile, item.record) ?? undefined;
      if (newest !== undefined) journal.push(item.record);
      user.mark = item.record.mark;
    }
  } catch {
    return false;
  }
  const state = stateOf(user);
  if (state === undefined || user.mark === before) return true;
  changes.users.set(user.id, state);
  if (newest !== undefined) changes.journal.set(newest, journal);
  return true;
}

async function savePlain({ profiles, cache }: ApplyDeps, changes: LaneChanges, users: readonly LaneUser[]): Promise<void> {
  const rows = changes.users.size === 0 ? undefined : (await profiles.save(changes)).rows;
  for (const user of users) {
    noteRow(user, rows);
    cache.set(changes.workspaceId, user.id, user);
  }
}
