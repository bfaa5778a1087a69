/**
 * A user whose records need more than its own row: merges, waiting, poison, and what an operator says. Such a user is
 * always worked on from freshly loaded rows, because another applier of the lane may be ahead of this one.
 */
import { isAfter } from "../domain/apply-records.ts";
import type { LaneItem } from "../domain/lane-item.ts";
import type { Mark } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { UserId } from "../domain/user-key.ts";
import { type DueParts, type Dues, duesOf, duesOfAnnouncement, payDues } from "./dues.ts";
import { isPast, type LaneChanges, type LaneUser, laneUser, noChanges, stateOf, storedUser } from "./lane-user.ts";
import { type Blocked, markKey, Overtaken, Poison, type Run, type RunParts, runRecords } from "./run-records.ts";
import type { UserCache } from "../pass/user-cache.ts";

export type ApartParts = RunParts & DueParts & {
  readonly cache: UserCache;
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
  readonly held: boolean;
  /** The record that holds the user back; absent where it was not looked at again. */
  readonly blocked?: { readonly reason: string; readonly mark: Mark; readonly isPoison: boolean };
}

/** Saves all it does. Throws what store and log throw; doing it again is harmless. */
export async function applyApart(parts: ApartParts, items: UserItems): Promise<Outcome> {
  if (parts.holds.has(holdKey(items)) && !wakes(items.items)) {
    const held = await holdFurther(parts, items);
    if (held) return held;
  }
  const poison = new Map<string, string>();
  for (;;) {
    try {
      return await attempt(parts, items, poison);
    } catch (error) {
      if (error instanceof Overtaken) continue;
      if (!(error instanceof Poison) || poison.has(markKey(error.mark))) throw error;
      poison.set(markKey(error.mark), error.reason);
    }
  }
}

async function attempt(parts: ApartParts, given: UserItems, poison: ReadonlyMap<string, string>): Promise<Outcome> {
  const { workspaceId, items } = given;
  const { user, waiting, reason } = await loadApart(parts, given);
  const arriving = recordsOf(items);
  const changes = noChanges(workspaceId);
  const work: Work = { parts, user, changes, dues: items.flatMap((item) => (item.type === "announce" ? [item] : [])) };
  if (user.held && !isWoken(user, { items, waiting })) return await holdOn(work, { arriving, reason });
  const records = inOrder(waiting, arriving);
  const run: Run = {
    workspaceId,
    user,
    changes,
    dues: [],
    poison,
    passesOver: (mark) => isSkipped(items, mark) || isDeletedAfter(records, mark),
    flush: () => save(work),
  };
  const wasHeld = user.held;
  const blocked = await runRecords(parts, run, records);
  if (wasHeld && run.dues.some(isOwed)) {
    // Held records stay until their dues are paid: whoever comes next finds them and pays again
    await save(work);
    await pay(work, run.dues);
  }
  letGo(work, { blocked, records, waiting });
  await save(work);
  if (!wasHeld || work.dues.length > 0) await pay(work, wasHeld ? [] : run.dues);
  remember(parts, workspaceId, { user, reason: blocked?.reason });
  return outcomeOf(blocked, { records, poison });
}

interface Work {
  readonly parts: ApartParts;
  readonly user: LaneUser;
  readonly changes: LaneChanges;
  /** Announcements that came. */
  readonly dues: readonly Extract<LaneItem, { type: "announce" }>[];
}

/**
 * The records that wait are read before the row. Another applier may let them go in between, but only those up to the
 * mark that the row then has; read the other way round, records could be missing in both.
 */
async function loadApart(
  { profiles, cache }: ApartParts,
  { workspaceId, userId }: UserItems,
): Promise<{ user: LaneUser; waiting: readonly ProfileRecord[]; reason: string }> {
  cache.delete(workspaceId, userId);
  const held = (await profiles.loadHeld(workspaceId, [userId])).get(userId);
  const stored = (await profiles.loadUsers(workspaceId, [userId])).get(userId);
  if (stored === undefined) throw new Error(`Expected an entry for user "${userId}", got none`);
  return { user: laneUser(userId, stored), waiting: held?.records ?? [], reason: held?.reason ?? "Held by another applier" };
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

/** Without reading what waits already: of a user who is held for long that may be very much. */
async function holdFurther(parts: ApartParts, given: UserItems): Promise<Outcome | undefined> {
  const { workspaceId, userId, items } = given;
  const stored = (await parts.profiles.loadUsers(workspaceId, [userId])).get(userId);
  if (!stored?.held) return undefined;
  const work = { parts, user: laneUser(userId, stored), changes: noChanges(workspaceId), dues: [] };
  return await holdOn(work, { arriving: recordsOf(items), reason: parts.holds.get(holdKey(given)) ?? "" });
}

function holdKey({ workspaceId, userId }: UserItems): string {
  return `${workspaceId} ${userId}`;
}

/**
 * Records that come while the user waits are kept with those that wait. The hold is as old as its last record: an
 * applier that frees the user of the records before must not free it of this one, which it may not have seen.
 */
async function holdOn(work: Work, { arriving, reason }: { arriving: readonly ProfileRecord[]; reason: string }): Promise<Outcome> {
  const { user, changes, parts } = work;
  const fresh = arriving.filter((record) => !isPast(user, record.mark));
  const last = fresh.at(-1);
  if (last !== undefined) {
    changes.held.set(user.id, { reason, since: last.mark, records: fresh });
    await parts.profiles.save(changes);
  }
  await pay(work, arriving.filter((record) => isPast(user, record.mark)).map(duesOf));
  remember(parts, changes.workspaceId, { user, reason });
  return { held: true };
}

/** Both lists by mark, each record once. */
function inOrder(waiting: readonly ProfileRecord[], arriving: readonly ProfileRecord[]): ProfileRecord[] {
  const records = [...waiting];
  for (const record of arriving) {
    const last = records.at(-1);
    if (last === undefined || isAfter(record.mark, last.mark)) records.push(record);
    else if (!records.some(({ mark }) => markKey(mark) === markKey(record.mark))) records.push(record);
  }
  return records.sort((a, b) => (isAfter(a.mark, b.mark) ? 1 : -1));
}

function isSkipped(items: readonly LaneItem[], mark: Mark): boolean {
  return items.some((item) => item.type === "skip" && markKey(item.mark) === markKey(mark));
}

/** A user who ends anyway is not held back by what cannot be applied. */
function isDeletedAfter(records: readonly ProfileRecord[], mark: Mark): boolean {
  return records.some((record) => record.change.type === "delete" && isAfter(record.mark, mark));
}

function letGo({ user, changes }: Work, { blocked, records, waiting }: {
  blocked: Blocked | undefined;
  records: readonly ProfileRecord[];
  waiting: readonly ProfileRecord[];
}): void {
  const last = records.at(-1);
  if (blocked === undefined || last === undefined) {
    // Also of a user who was free: an applier that is behind may have begun to hold it
    if (user.mark !== undefined) changes.held.set(user.id, null);
    user.held = false;
    return;
  }
  const kept = new Set(waiting.map(({ mark }) => markKey(mark)));
  const added = records.slice(blocked.at).filter(({ mark }) => !kept.has(markKey(mark)));
  changes.held.set(user.id, { reason: blocked.reason, since: last.mark, records: added });
  user.held = true;
}

async function save({ parts, user, changes }: Work): Promise<void> {
  const state = stateOf(user);
  if (state !== undefined) changes.users.set(user.id, state);
  const { rowChars } = await parts.profiles.save(changes);
  user.rowChars = user.profile === undefined ? 0 : rowChars.get(user.profile) ?? user.rowChars;
  for (const map of [changes.users, changes.handoffs, changes.frozen, changes.journal, changes.held, changes.heldMore]) map.clear();
}

async function pay({ parts, user, changes, dues }: Work, own: readonly Dues[]): Promise<void> {
  await payDues(parts, changes.workspaceId, [...own, ...dues.map((announcement) => duesOfAnnouncement(user, announcement))]);
}

function isOwed({ announce, handoffs, merges, told }: Dues): boolean {
  return announce.length + handoffs.length + merges.length + told.length > 0;
}

function remember(
  { cache, holds }: ApartParts,
  workspaceId: string,
  { user, reason }: { user: LaneUser; reason: string | undefined },
): void {
  cache.set(workspaceId, user.id, storedUser(user, user.rowChars));
  const key = holdKey({ workspaceId, userId: user.id, items: [] });
  if (user.held && reason !== undefined) holds.set(key, reason);
  else holds.delete(key);
}

function outcomeOf(
  blocked: Blocked | undefined,
  { records, poison }: { records: readonly ProfileRecord[]; poison: ReadonlyMap<string, string> },
): Outcome {
  const record = blocked && records[blocked.at];
  if (blocked === undefined || record === undefined) return { held: false };
  return { held: true, blocked: { reason: blocked.reason, mark: record.mark, isPoison: poison.has(markKey(record.mark)) } };
}
