/**
 * The unit of work of one transaction: what appliers do to users, as rows that are not written yet. Reads see them over what
 * is stored, each time as new objects, so that an applier that begins again begins from what was saved.
 */
import { isAfter, type RecordId } from "../../../platform/age.ts";
import type { BlockedState, BlockedUser, FrozenMerge, Handoff, ProfileStore, StoredUser, UserChanges, UserState } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import type { UnitOfWork } from "../resolve/step-store.ts";
import { rejectedToRow } from "./rejected-rows.ts";
import { profileFromRow, profileToRow } from "./rows.ts";

/** What is stored, as far as appliers read it. */
export interface StoredUsers extends Pick<ProfileStore, "loadUsers" | "loadBlocked" | "loadFrozen"> {
  loadHandoffs(workspaceId: string, mergeIds: readonly string[]): Promise<Map<string, Handoff>>;
}

/** What is to be written of one workspace: one net value a row; null: it goes. */
export class WorkRows {
  readonly users = new Map<UserId, UserRow>();
  readonly handoffs = new Map<string, HandoffRow | null>();
  readonly frozen = new Map<string, FrozenRow | null>();
  /** Records to add, behind `frozen`. */
  readonly journal = new Map<string, ProfileRecord[]>();
  readonly blocked = new Map<UserId, BlockedRows>();
  /** Of stored users who were loaded. */
  readonly before = new Map<UserId, Pick<StoredUser, "blocked" | "openMerges">>();
}

interface UserRow {
  /** null: the user is gone. */
  readonly text: string | null;
  readonly mark: RecordId;
  /** Whether the text holds the mark itself. */
  readonly saysMark: boolean;
  /** Of a user who is rejected, see rejectedToRow(). */
  readonly rejected: string | undefined;
  readonly openMerges: readonly string[];
}

interface HandoffRow {
  readonly source: string;
  readonly undoUntil: number;
}

export interface FrozenRow extends HandoffRow {
  readonly targetId: UserId;
  readonly mark: RecordId;
  readonly targetBefore: string;
  readonly journal: readonly ProfileRecord[];
}

export interface BlockedRows {
  /** null: the user is free. */
  readonly reason: string | null;
  /** Stored records that go: those up to the mark, or all. */
  readonly clear: RecordId | "all" | undefined;
  /** Records to add. */
  readonly records: readonly ProfileRecord[];
}

export class StepWork implements UnitOfWork {
  /** By workspace. */
  readonly rows = new Map<string, WorkRows>();
  readonly #stored: StoredUsers;

  constructor(stored: StoredUsers) {
    this.#stored = stored;
  }

  get changesBlocked(): boolean {
    return [...this.rows.values()].some(({ blocked, before }) =>
      [...blocked].some(([id, { reason }]) => (reason !== null) !== (before.get(id)?.blocked ?? false))
    );
  }

  async loadUsers(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, StoredUser>> {
    const own = this.#of(workspaceId);
    if (own.users.size + own.blocked.size + own.frozen.size === 0) {
      const all = await this.#stored.loadUsers(workspaceId, ids);
      for (const [id, user] of all) own.before.set(id, user);
      return all;
    }
    const missing = ids.filter((id) => !own.users.has(id));
    const stored = missing.length === 0 ? undefined : await this.#stored.loadUsers(workspaceId, missing);
    return new Map(ids.map((id) => [id, userOf(own, id, stored?.get(id))]));
  }

  async loadBlocked(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, BlockedUser>> {
    const { blocked } = this.#of(workspaceId);
    const stored = await this.#stored.loadBlocked(workspaceId, ids.filter((id) => needsStored(blocked.get(id))));
    return new Map(ids.flatMap((id) => {
      const user = blockedOf(blocked.get(id), stored.get(id));
      return user === undefined ? [] : [[id, user] as const];
    }));
  }

  async loadFrozen(workspaceId: string, ids: readonly string[]): Promise<Map<string, FrozenMerge>> {
    const { frozen, journal } = this.#of(workspaceId);
    const found = await this.#stored.loadFrozen(workspaceId, ids.filter((id) => !frozen.has(id)));
    for (const id of ids) {
      const row = frozen.get(id);
      if (row) found.set(id, frozenFrom(row));
    }
    for (const [id, merge] of found) found.set(id, { ...merge, journal: inOrder([...merge.journal, ...journal.get(id) ?? []]) });
    return found;
  }

  async loadHandoffs(workspaceId: string, ids: readonly string[]): Promise<Map<string, Handoff>> {
    const { handoffs } = this.#of(workspaceId);
    const found = await this.#stored.loadHandoffs(workspaceId, ids.filter((id) => !handoffs.has(id)));
    for (const id of ids) {
      const row = handoffs.get(id);
      if (row) found.set(id, { source: profileFromRow(row.source), undoUntil: row.undoUntil });
    }
    return found;
  }

  async save({ workspaceId, users, handoffs, frozen, journal, blocked }: UserChanges): Promise<{ rows: Map<Profile, string> }> {
    const own = this.#of(workspaceId);
    const texts = new Map<Profile, string>();
    // All texts first: where one cannot be made, nothing is saved
    const rows = Array.from(users, ([id, state]) => [id, toRow(state)] as const);
    const sources = Array.from(handoffs, ([id, { source, undoUntil }]) => [id, { source: profileToRow(source), undoUntil }] as const);
    const copies = Array.from(frozen, ([id, merge]) => [id, frozenRow(merge)] as const);
    for (const [id, row] of rows) {
      own.users.set(id, row);
      const profile = users.get(id)?.profile;
      if (profile && row.text !== null) texts.set(profile, row.text);
    }
    for (const [id, row] of sources) own.handoffs.set(id, row);
    for (const [id, row] of copies) {
      own.frozen.set(id, row);
      own.journal.delete(id);
    }
    for (const [id, records] of journal) addToJournal(own, id, records);
    for (const [id, state] of blocked) block(own, id, { state, mark: users.get(id)?.mark });
    return { rows: texts };
  }

  async forgetMerges(workspaceId: string, ids: readonly string[]): Promise<void> {
    const { frozen, journal } = this.#of(workspaceId);
    for (const id of ids) {
      frozen.set(id, null);
      journal.delete(id);
    }
    await this.forgetHandoffs(workspaceId, ids);
  }

  /** Written once: one of this step is not stored. */
  async forgetHandoffs(workspaceId: string, ids: readonly string[]): Promise<void> {
    const { handoffs } = this.#of(workspaceId);
    for (const id of ids) {
      if (handoffs.get(id)) handoffs.delete(id);
      else handoffs.set(id, null);
    }
  }

  #of(workspaceId: string): WorkRows {
    const known = this.rows.get(workspaceId);
    if (known !== undefined) return known;
    const made = new WorkRows();
    this.rows.set(workspaceId, made);
    return made;
  }
}

function userOf({ users, blocked, frozen, before }: WorkRows, id: UserId, stored: StoredUser = noUser): StoredUser {
  const row = users.get(id);
  if (row === undefined) before.set(id, stored);
  const known = row === undefined ? stored : fromRow(row);
  const rows = blocked.get(id);
  const isBlocked = rows === undefined ? before.get(id)?.blocked ?? false : rows.reason !== null;
  return { ...known, blocked: isBlocked, openMerges: known.openMerges.filter((mergeId) => frozen.get(mergeId) !== null) };
}

function needsStored(rows: BlockedRows | undefined): boolean {
  return rows === undefined || (rows.reason !== null && rows.clear !== "all");
}

function blockedOf(rows: BlockedRows | undefined, stored: BlockedUser | undefined): BlockedUser | undefined {
  if (rows === undefined) return stored;
  const { reason, clear, records } = rows;
  if (reason === null) return undefined;
  const left = (stored?.records ?? []).filter(({ mark }) => clear === undefined || clear === "all" || isAfter(mark, clear));
  return { reason, records: inOrder([...left, ...records]) };
}

/** A merge whose copies are gone takes no more. */
function addToJournal({ frozen, journal }: WorkRows, id: string, records: readonly ProfileRecord[]): void {
  if (frozen.get(id) === null) return;
  const known = journal.get(id);
  if (known === undefined) journal.set(id, [...records]);
  else known.push(...records);
}

/** `mark`: of the state that is saved with it. */
function block(
  rows: WorkRows,
  id: UserId,
  { state, mark }: { readonly state: BlockedState | null; readonly mark: RecordId | undefined },
): void {
  const before = rows.blocked.get(id);
  if (state === null) {
    if (before !== undefined || rows.before.get(id)?.blocked !== false) rows.blocked.set(id, { reason: null, clear: "all", records: [] });
    return;
  }
  const left = (before?.records ?? []).filter((record) => mark === undefined || isAfter(record.mark, mark));
  const clear = before?.clear === "all" ? "all" : mark ?? before?.clear;
  rows.blocked.set(id, { reason: state.reason, clear, records: [...left, ...state.records] });
}

/** Merges that were taken back on the target's side, and whose copies the source still needs. */
export function undoneIn({ users, frozen, before: stored }: WorkRows): string[] {
  const ended: string[] = [];
  const openOf = new Map<UserId, ReadonlySet<string>>();
  for (const [id, { openMerges }] of users) {
    const before = stored.get(id)?.openMerges ?? [];
    if (before === openMerges || before.length === 0) continue;
    const open = new Set(openMerges);
    openOf.set(id, open);
    for (const mergeId of before) if (!open.has(mergeId)) ended.push(mergeId);
  }
  for (const [mergeId, row] of frozen) {
    const target = row && users.get(row.targetId);
    if (!target) continue;
    const open = openOf.get(row.targetId) ?? new Set(target.openMerges);
    openOf.set(row.targetId, open);
    if (!open.has(mergeId)) ended.push(mergeId);
  }
  return ended.filter((mergeId) => frozen.get(mergeId) !== null);
}

const noUser: StoredUser = { profile: undefined, row: "", blocked: false, openMerges: [] };

function toRow({ profile, mark, openMerges }: UserState): UserRow {
  const saysMark = profile !== null && profile.mark[0] === mark[0] && profile.mark[1] === mark[1];
  if (profile === null) return { text: null, mark, saysMark, rejected: undefined, openMerges };
  return { text: profileToRow(profile), mark, saysMark, rejected: rejectedToRow(profile), openMerges };
}

function fromRow({ text, mark, openMerges }: UserRow): StoredUser {
  const profile = text === null ? undefined : profileFromRow(text);
  return { profile, row: text ?? "", blocked: false, openMerges, mark };
}

function frozenRow({ source, targetBefore, undoUntil, journal }: FrozenMerge): FrozenRow {
  const { id, mark } = targetBefore;
  return { targetId: id, mark, source: profileToRow(source), targetBefore: profileToRow(targetBefore), undoUntil, journal };
}

function frozenFrom({ source, targetBefore, undoUntil, journal }: FrozenRow): FrozenMerge {
  return { source: profileFromRow(source), targetBefore: profileFromRow(targetBefore), undoUntil, journal };
}

/** By mark, each once: what came later takes the place of what was there. */
function inOrder(records: readonly ProfileRecord[]): ProfileRecord[] {
  const byMark = new Map(records.map((record) => [record.mark.join("."), record]));
  return [...byMark.values()].sort((a, b) => (isAfter(a.mark, b.mark) ? 1 : -1));
}
