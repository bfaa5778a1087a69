/**
 * The unit of work of one transaction: what appliers do to users, as rows that are not written yet. Reads see them over what
 * is stored, each time as new objects, so that an applier that begins again begins from what was saved.
 */
import { isAfter, type Mark } from "../../../platform/age.ts";
import type { FrozenMerge, Handoff, HeldState, HeldUser, ProfileStore, StoredUser, UserChanges, UserState } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { UserId } from "../domain/user-key.ts";
import type { UnitOfWork } from "../resolve/step-store.ts";
import { rejectedToRow } from "./rejected-rows.ts";
import { profileFromRow, profileToRow } from "./rows.ts";

/** What is stored, as far as appliers read it. */
export interface StoredUsers extends Pick<ProfileStore, "loadUsers" | "loadHeld" | "loadFrozen"> {
  loadHandoffs(workspaceId: string, mergeIds: readonly string[]): Promise<Map<string, Handoff>>;
}

export interface StepWork extends UnitOfWork {
  /** What is to be written, by workspace. */
  readonly rows: ReadonlyMap<string, WorkRows>;
}

/** One net value a row; null: it goes. */
export interface WorkRows {
  readonly users: ReadonlyMap<UserId, UserRow>;
  readonly handoffs: ReadonlyMap<string, HandoffRow | null>;
  readonly frozen: ReadonlyMap<string, FrozenRow | null>;
  /** Records to add, behind `frozen`. */
  readonly journal: ReadonlyMap<string, readonly ProfileRecord[]>;
  readonly held: ReadonlyMap<UserId, HeldRows>;
  /** Merges that were taken back on the target's side, and whose copies the source still needs. */
  undone(): readonly string[];
}

interface UserRow {
  /** null: the user is gone. */
  readonly text: string | null;
  readonly mark: Mark;
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
  readonly mark: Mark;
  readonly targetBefore: string;
  readonly journal: readonly ProfileRecord[];
}

export interface HeldRows {
  /** null: the user is free. */
  readonly reason: string | null;
  /** Stored records that go: those up to the mark, or all. */
  readonly clear: Mark | "all" | undefined;
  /** Records to add. */
  readonly records: readonly ProfileRecord[];
}

export function openStepWork(stored: StoredUsers): StepWork {
  return new RowsOfStep(stored);
}

class RowsOfStep implements StepWork {
  readonly rows = new Map<string, Rows>();
  readonly #stored: StoredUsers;

  constructor(stored: StoredUsers) {
    this.#stored = stored;
  }

  get changesHeld(): boolean {
    return [...this.rows.values()].some((own) => own.changesHeld());
  }

  loadUsers(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, StoredUser>> {
    return this.#of(workspaceId).loadUsers(ids);
  }

  loadHeld(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, HeldUser>> {
    return this.#of(workspaceId).loadHeld(ids);
  }

  loadFrozen(workspaceId: string, ids: readonly string[]): Promise<Map<string, FrozenMerge>> {
    return this.#of(workspaceId).loadFrozen(ids);
  }

  loadHandoffs(workspaceId: string, ids: readonly string[]): Promise<Map<string, Handoff>> {
    return this.#of(workspaceId).loadHandoffs(ids);
  }

  save(changes: UserChanges): ReturnType<UnitOfWork["save"]> {
    return this.#of(changes.workspaceId).save(changes);
  }

  forgetMerges(workspaceId: string, ids: readonly string[]): Promise<void> {
    return this.#of(workspaceId).forgetMerges(ids);
  }

  forgetHandoffs(workspaceId: string, ids: readonly string[]): Promise<void> {
    return this.#of(workspaceId).forgetHandoffs(ids);
  }

  #of(workspaceId: string): Rows {
    const known = this.rows.get(workspaceId);
    if (known !== undefined) return known;
    const made = new Rows(workspaceId, this.#stored);
    this.rows.set(workspaceId, made);
    return made;
  }
}

class Rows implements WorkRows {
  readonly users = new Map<UserId, UserRow>();
  readonly handoffs = new Map<string, HandoffRow | null>();
  readonly frozen = new Map<string, FrozenRow | null>();
  readonly journal = new Map<string, ProfileRecord[]>();
  readonly held = new Map<UserId, HeldRows>();
  /** Of stored users who were loaded. */
  readonly #before = new Map<UserId, Pick<StoredUser, "held" | "openMerges">>();
  readonly #workspaceId: string;
  readonly #stored: StoredUsers;

  constructor(workspaceId: string, stored: StoredUsers) {
    this.#workspaceId = workspaceId;
    this.#stored = stored;
  }

  changesHeld(): boolean {
    return [...this.held].some(([id, { reason }]) => (reason !== null) !== (this.#before.get(id)?.held ?? false));
  }

  async loadUsers(ids: readonly UserId[]): Promise<Map<UserId, StoredUser>> {
    if (this.users.size + this.held.size + this.frozen.size === 0) {
      const all = await this.#stored.loadUsers(this.#workspaceId, ids);
      for (const [id, user] of all) this.#before.set(id, user);
      return all;
    }
    const missing = ids.filter((id) => !this.users.has(id));
    const stored = missing.length === 0 ? undefined : await this.#stored.loadUsers(this.#workspaceId, missing);
    return new Map(ids.map((id) => [id, this.#userOf(id, stored?.get(id))]));
  }

  #userOf(id: UserId, stored: StoredUser = noUser): StoredUser {
    const row = this.users.get(id);
    if (row === undefined) this.#before.set(id, stored);
    const known = row === undefined ? stored : fromRow(row);
    const held = this.held.get(id);
    const isHeld = held === undefined ? this.#before.get(id)?.held ?? false : held.reason !== null;
    return { ...known, held: isHeld, openMerges: known.openMerges.filter((mergeId) => this.frozen.get(mergeId) !== null) };
  }

  async loadHeld(ids: readonly UserId[]): Promise<Map<UserId, HeldUser>> {
    const found = new Map<UserId, HeldUser>();
    for (const id of ids) {
      const user = await this.#heldOf(id);
      if (user !== undefined) found.set(id, user);
    }
    return found;
  }

  async #heldOf(id: UserId): Promise<HeldUser | undefined> {
    const own = this.held.get(id);
    if (own?.reason === null) return undefined;
    const stored = own?.clear === "all" ? undefined : (await this.#stored.loadHeld(this.#workspaceId, [id])).get(id);
    if (own === undefined) return stored;
    const left = (stored?.records ?? []).filter(({ mark }) => own.clear === undefined || own.clear === "all" || isAfter(mark, own.clear));
    return { reason: own.reason, records: inOrder([...left, ...own.records]) };
  }

  async loadFrozen(ids: readonly string[]): Promise<Map<string, FrozenMerge>> {
    const found = await this.#stored.loadFrozen(this.#workspaceId, ids.filter((id) => !this.frozen.has(id)));
    for (const id of ids) {
      const row = this.frozen.get(id);
      if (row) found.set(id, frozenFrom(row));
    }
    for (const [id, merge] of found) found.set(id, { ...merge, journal: inOrder([...merge.journal, ...this.journal.get(id) ?? []]) });
    return found;
  }

  async loadHandoffs(ids: readonly string[]): Promise<Map<string, Handoff>> {
    const found = await this.#stored.loadHandoffs(this.#workspaceId, ids.filter((id) => !this.handoffs.has(id)));
    for (const id of ids) {
      const row = this.handoffs.get(id);
      if (row) found.set(id, { source: profileFromRow(row.source), undoUntil: row.undoUntil });
    }
    return found;
  }

  async save({ users, handoffs, frozen, journal, held }: UserChanges): Promise<{ rows: Map<Profile, string> }> {
    const texts = new Map<Profile, string>();
    // All texts first: where one cannot be made, nothing is saved
    const rows = Array.from(users, ([id, state]) => [id, toRow(state)] as const);
    const sources = Array.from(handoffs, ([id, { source, undoUntil }]) => [id, { source: profileToRow(source), undoUntil }] as const);
    const copies = Array.from(frozen, ([id, merge]) => [id, frozenRow(merge)] as const);
    for (const [id, row] of rows) {
      this.users.set(id, row);
      const profile = users.get(id)?.profile;
      if (profile && row.text !== null) texts.set(profile, row.text);
    }
    for (const [id, row] of sources) this.handoffs.set(id, row);
    for (const [id, row] of copies) {
      this.frozen.set(id, row);
      this.journal.delete(id);
    }
    for (const [id, records] of journal) this.#journal(id, records);
    for (const [id, state] of held) this.#hold(id, state, users.get(id));
    return { rows: texts };
  }

  /** A merge whose copies are gone takes no more. */
  #journal(id: string, records: readonly ProfileRecord[]): void {
    if (this.frozen.get(id) === null) return;
    const known = this.journal.get(id);
    if (known === undefined) this.journal.set(id, [...records]);
    else known.push(...records);
  }

  #hold(id: UserId, state: HeldState | null, user: UserState | undefined): void {
    const before = this.held.get(id);
    if (state === null) {
      if (before !== undefined || this.#before.get(id)?.held !== false) this.held.set(id, { reason: null, clear: "all", records: [] });
      return;
    }
    const mark = user?.mark;
    const left = (before?.records ?? []).filter((record) => mark === undefined || isAfter(record.mark, mark));
    const clear = before?.clear === "all" ? "all" : mark ?? before?.clear;
    this.held.set(id, { reason: state.reason, clear, records: [...left, ...state.records] });
  }

  forgetMerges(ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      this.frozen.set(id, null);
      this.journal.delete(id);
      this.#forgetHandoff(id);
    }
    return Promise.resolve();
  }

  forgetHandoffs(ids: readonly string[]): Promise<void> {
    for (const id of ids) this.#forgetHandoff(id);
    return Promise.resolve();
  }

  /** Written once: one of this step is not stored. */
  #forgetHandoff(id: string): void {
    if (this.handoffs.get(id)) this.handoffs.delete(id);
    else this.handoffs.set(id, null);
  }

  undone(): string[] {
    const ended: string[] = [];
    const openOf = new Map<UserId, ReadonlySet<string>>();
    for (const [id, { openMerges }] of this.users) {
      const before = this.#before.get(id)?.openMerges ?? [];
      if (before === openMerges || before.length === 0) continue;
      const open = new Set(openMerges);
      openOf.set(id, open);
      for (const mergeId of before) if (!open.has(mergeId)) ended.push(mergeId);
    }
    for (const [mergeId, row] of this.frozen) {
      const target = row && this.users.get(row.targetId);
      if (!target) continue;
      const open = openOf.get(row.targetId) ?? new Set(target.openMerges);
      openOf.set(row.targetId, open);
      if (!open.has(mergeId)) ended.push(mergeId);
    }
    return ended.filter((mergeId) => this.frozen.get(mergeId) !== null);
  }
}

const noUser: StoredUser = { profile: undefined, row: "", held: false, openMerges: [] };

function toRow({ profile, mark, openMerges }: UserState): UserRow {
  const saysMark = profile !== null && profile.mark[0] === mark[0] && profile.mark[1] === mark[1];
  if (profile === null) return { text: null, mark, saysMark, rejected: undefined, openMerges };
  return { text: profileToRow(profile), mark, saysMark, rejected: rejectedToRow(profile), openMerges };
}

function fromRow({ text, mark, openMerges }: UserRow): StoredUser {
  const profile = text === null ? undefined : profileFromRow(text);
  return { profile, row: text ?? "", held: false, openMerges, mark };
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
