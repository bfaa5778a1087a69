/**
 * A user whose records need more than its own row: merges, waiting, failed records, and an operator's requests. Such a user
 * is always worked on from freshly loaded rows, because another applier of the lane may be ahead of this one.
 */
import { errorText } from "../../../platform/error-text.ts";
import { isPassing } from "../../../platform/faults/passing.ts";
import { isAfter, type RecordId } from "../../../platform/age.ts";
import type { Announcement, LaneItem } from "../domain/resolve/lane-item.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { addEffects, addEffectsOfAnnouncement, type EffectDeps, Effects, runEffects } from "./effects.ts";
import { isPast, type LaneChanges, type LaneUser, laneUser, noChanges, noteRow, stateOf } from "./lane-user.ts";
import type { Pace } from "./pace.ts";
import { type Blocked, Overtaken, RecordFailure, recordKey, type Run, type RunDeps, runRecords } from "./run-records.ts";
import type { UserCache } from "./user-cache.ts";

export type ApplyDeps = RunDeps & EffectDeps & {
  readonly cache: UserCache;
  /** Rests between applying and making what is written, and between users: where all of it is long, others get their turn. */
  readonly pace?: Pace;
  /** Why users wait whose held records this applier has looked through: by workspace and id. */
  readonly holds: Map<string, string>;
};

/** One user's items of a batch, in order. */
export interface UserItems {
  readonly workspaceId: string;
  readonly userId: UserId;
  readonly items: readonly LaneItem[];
}

/** What became of the user. */
export interface Outcome {
  readonly blocked: boolean;
  /** The record that holds the user back; absent where it was not looked at again. */
  readonly blockedBy?: { readonly reason: string; readonly mark: RecordId; readonly hasFailed: boolean };
}

/** Saves all it does. Throws what passes; doing it again is harmless. */
export async function applySlowly(deps: ApplyDeps, given: UserItems): Promise<Outcome> {
  try {
    if (deps.holds.has(holdKey(given)) && !wakes(given.items)) {
      const blocked = await holdFurther(deps, given);
      if (blocked) return blocked;
    }
    return await applyAround(deps, given, new Map());
  } catch (error) {
    if (isPassing(error)) throw error;
    return await holdAgainst(deps, given, error);
  }
}

/** Begins again wherever a pure step throws, and stops at that record. */
async function applyAround(deps: ApplyDeps, items: UserItems, found: ReadonlyMap<string, string>): Promise<Outcome> {
  const failures = new Map(found);
  for (;;) {
    try {
      return await attempt(deps, items, failures);
    } catch (error) {
      if (error instanceof Overtaken) continue;
      if (!(error instanceof RecordFailure) || failures.has(recordKey(error.mark))) throw error;
      for (const mark of [error.mark, ...error.needless]) failures.set(recordKey(mark), error.reason);
    }
  }
}

/**
 * An error about a user that does not pass is blamed on one of its records: those before it are applied, it and those
 * behind it wait. The error does not name the record, so it is searched for between what was applied and what failed.
 */
async function holdAgainst(deps: ApplyDeps, given: UserItems, error: unknown): Promise<Outcome> {
  const records = await unapplied(deps, given);
  if (records === undefined) return await holdUnread(deps, given, error);
  const items: UserItems = { ...given, items: [...given.items, { type: "redrive", userId: given.userId }] };
  const reason = errorText(error);
  // Whom an operator or a delete sets free is not looked at any more
  const ending = records.findLastIndex(({ change }) => change.type === "delete");
  const freed = records.filter(({ mark }, at) => at < ending || isSkipped(given.items, mark));
  const passed = new Map(freed.map(({ mark }) => [recordKey(mark), reason]));
  const marks = records.map(({ mark }) => recordKey(mark)).filter((key) => !passed.has(key));
  const [first] = marks;
  // What is left to do is owed to others: it is tried again
  if (first === undefined && freed.length === 0) throw error;
  async function stopsAt(key: string | undefined): Promise<Outcome | undefined> {
    try {
      return await applyAround(deps, items, key === undefined ? passed : new Map([...passed, [key, reason]]));
    } catch (again) {
      if (isPassing(again)) throw again;
      return undefined;
    }
  }
  const free = freed.length > 0 ? await stopsAt(undefined) : undefined;
  if (free !== undefined) return free;
  let [applied, failing] = [0, marks.length];
  while (failing - applied > 1) {
    const middle = (applied + failing) >> 1;
    if (await stopsAt(marks[middle])) applied = middle;
    else failing = middle;
  }
  return await stopsAt(marks[applied]) ?? await holdUnread(deps, given, error);
}

/** What of the user's records is not in its state; undefined where that cannot be read. */
async function unapplied(deps: ApplyDeps, given: UserItems): Promise<readonly ProfileRecord[] | undefined> {
  try {
    const { user, waiting } = await loadFresh(deps, given);
    return inOrder(waiting, recordsOf(given.items)).filter(({ mark }) => !isPast(user, mark));
  } catch (error) {
    if (isPassing(error)) throw error;
    return undefined;
  }
}

/** All that comes waits: which of it is in the state already shows when that can be read. */
async function holdUnread({ profiles, cache, holds }: ApplyDeps, given: UserItems, error: unknown): Promise<Outcome> {
  const { workspaceId, userId, items } = given;
  cache.delete(workspaceId, userId);
  holds.delete(holdKey(given));
  const records = recordsOf(items);
  const [first, last] = [records[0], records.at(-1)];
  if (first === undefined || last === undefined) return { blocked: true };
  const reason = errorText(error);
  const changes = noChanges(workspaceId);
  changes.blocked.set(userId, { reason, since: last.mark, records });
  await profiles.save(changes);
  return { blocked: true, blockedBy: { reason, mark: first.mark, hasFailed: true } };
}

async function attempt(deps: ApplyDeps, given: UserItems, failures: ReadonlyMap<string, string>): Promise<Outcome> {
  const { workspaceId, items } = given;
  const { user, waiting, reason } = await loadFresh(deps, given);
  const arriving = recordsOf(items);
  const changes = noChanges(workspaceId);
  const work: Work = { deps, user, changes, announcements: items.flatMap((item) => (item.type === "announce" ? [item] : [])) };
  if (user.blocked && !isWoken(user, { items, waiting })) return await holdOn(work, { arriving, reason });
  const records = inOrder(waiting, arriving);
  // A user who ends anyway is not held back by what cannot be applied
  const ending = records.findLast(({ change }) => change.type === "delete");
  const run: Run = {
    user,
    changes,
    effects: new Effects(),
    failures,
    passesOver: (mark) => (ending !== undefined && isAfter(ending.mark, mark)) || isSkipped(items, mark),
    flush: () => save(work),
  };
  const wasBlocked = user.blocked;
  const blockedBy = await runRecords(deps, run, records);
  // Before the state is saved: a record whose event cannot be made has to wait
  deps.eventsOf(workspaceId, run.effects.records);
  if (wasBlocked && run.effects.records.length > 0) {
    // Held records stay until their effects are done: the next applier finds them and does them again
    await save(work);
    await runOwnEffects(work, run.effects);
    // The lane has those records no more
    await deps.publish([]);
  }
  letGo(work, { blockedBy, records, waiting });
  await save(work);
  if (!wasBlocked || work.announcements.length > 0) await runOwnEffects(work, wasBlocked ? new Effects() : run.effects);
  remember(deps, workspaceId, { user, reason: blockedBy?.reason });
  return outcomeOf(blockedBy, { records, failures });
}

interface Work {
  readonly deps: ApplyDeps;
  readonly user: LaneUser;
  readonly changes: LaneChanges;
  /** That came for the user. */
  readonly announcements: readonly Announcement[];
}

/**
 * The records that wait are read before the row. Another applier may let them go in between, but only those up to the
 * mark that the row then has; read the other way round, records could be missing in both.
 */
async function loadFresh(
  { profiles, cache }: ApplyDeps,
  { workspaceId, userId }: UserItems,
): Promise<{ user: LaneUser; waiting: readonly ProfileRecord[]; reason: string }> {
  cache.delete(workspaceId, userId);
  const blocked = (await profiles.loadBlocked(workspaceId, [userId])).get(userId);
  const stored = (await profiles.loadUsers(workspaceId, [userId])).get(userId);
  if (stored === undefined) throw new Error(`Expected an entry for user "${userId}", got none`);
  return { user: laneUser(userId, stored), waiting: blocked?.records ?? [], reason: blocked?.reason ?? "Held by another applier" };
}

function recordsOf(items: readonly LaneItem[]): ProfileRecord[] {
  return items.flatMap((item) => (item.type === "record" ? [item.record] : []));
}

/** Something came that may free the user, or its freeing was not finished. */
function isWoken(user: LaneUser, { items, waiting }: { items: readonly LaneItem[]; waiting: readonly ProfileRecord[] }): boolean {
  return wakes(items) || waiting.some((record) => isPast(user, record.mark));
}

function wakes(items: readonly LaneItem[]): boolean {
  return items.some((item) => item.type !== "record" || item.record.change.type === "delete");
}

/** Without reading what waits already: of a user who is blocked for long that may be very much. */
async function holdFurther(deps: ApplyDeps, given: UserItems): Promise<Outcome | undefined> {
  const { workspaceId, userId, items } = given;
  const stored = (await deps.profiles.loadUsers(workspaceId, [userId])).get(userId);
  if (!stored?.blocked) return undefined;
  const work = { deps, user: laneUser(userId, stored), changes: noChanges(workspaceId), announcements: [] };
  return await holdOn(work, { arriving: recordsOf(items), reason: deps.holds.get(holdKey(given)) ?? "" });
}

function holdKey({ workspaceId, userId }: Omit<UserItems, "items">): string {
  return `${workspaceId} ${userId}`;
}

/**
 * Records that come while the user waits are kept with those that wait. The hold is as old as its last record: an
 * applier that frees the user of the records before must not free it of this one, which it may not have seen.
 */
async function holdOn(work: Work, { arriving, reason }: { arriving: readonly ProfileRecord[]; reason: string }): Promise<Outcome> {
  const { user, changes, deps } = work;
  const fresh = arriving.filter((record) => !isPast(user, record.mark));
  const last = fresh.at(-1);
  if (last !== undefined) {
    changes.blocked.set(user.id, { reason, since: last.mark, records: fresh });
    await deps.profiles.save(changes);
  }
  const effects = new Effects();
  for (const record of arriving) if (isPast(user, record.mark)) addEffects(effects, record);
  await runOwnEffects(work, effects);
  remember(deps, changes.workspaceId, { user, reason });
  return { blocked: true };
}

/** Both lists by mark, each record once. */
function inOrder(waiting: readonly ProfileRecord[], arriving: readonly ProfileRecord[]): ProfileRecord[] {
  const records = [...waiting];
  for (const record of arriving) {
    const last = records.at(-1);
    if (last === undefined || isAfter(record.mark, last.mark)) records.push(record);
    else if (!records.some(({ mark }) => recordKey(mark) === recordKey(record.mark))) records.push(record);
  }
  return records.sort((a, b) => (isAfter(a.mark, b.mark) ? 1 : -1));
}

function isSkipped(items: readonly LaneItem[], mark: RecordId): boolean {
  return items.some((item) => item.type === "skip" && recordKey(item.mark) === recordKey(mark));
}

function letGo({ user, changes }: Work, { blockedBy, records, waiting }: {
  blockedBy: Blocked | undefined;
  records: readonly ProfileRecord[];
  waiting: readonly ProfileRecord[];
}): void {
  const last = records.at(-1);
  if (blockedBy === undefined || last === undefined) {
    // Also of a user who was free: an applier that is behind may have begun to hold it
    if (user.mark !== undefined) changes.blocked.set(user.id, null);
    user.blocked = false;
    return;
  }
  const kept = new Set(waiting.map(({ mark }) => recordKey(mark)));
  const added = records.slice(blockedBy.at).filter(({ mark }) => !kept.has(recordKey(mark)));
  changes.blocked.set(user.id, { reason: blockedBy.reason, since: last.mark, records: added });
  user.blocked = true;
}

async function save({ deps, user, changes }: Work): Promise<void> {
  const state = stateOf(user);
  if (state !== undefined) changes.users.set(user.id, state);
  const { rows } = await deps.profiles.save(changes);
  noteRow(user, rows);
  for (const map of [changes.users, changes.handoffs, changes.frozen, changes.journal, changes.blocked]) map.clear();
}

/** With those of the announcements that came. */
async function runOwnEffects({ deps, user, changes, announcements }: Work, effects: Effects): Promise<void> {
  for (const announcement of announcements) addEffectsOfAnnouncement(effects, user, announcement);
  await runEffects(deps, changes.workspaceId, effects);
}

function remember(
  { cache, holds }: ApplyDeps,
  workspaceId: string,
  { user, reason }: { user: LaneUser; reason: string | undefined },
): void {
  cache.set(workspaceId, user.id, user);
  const key = holdKey({ workspaceId, userId: user.id });
  if (user.blocked && reason !== undefined) holds.set(key, reason);
  else holds.delete(key);
}

function outcomeOf(
  blockedBy: Blocked | undefined,
  { records, failures }: { records: readonly ProfileRecord[]; failures: ReadonlyMap<string, string> },
): Outcome {
  const record = blockedBy && records[blockedBy.at];
  if (blockedBy === undefined || record === undefined) return { blocked: false };
  return { blocked: true, blockedBy: { reason: blockedBy.reason, mark: record.mark, hasFailed: failures.has(recordKey(record.mark)) } };
}
