/** What one step does to the users of one workspace: records in, changed rows out. */
import type { MergeRecord } from "../domain/apply-merge.ts";
import type { FrozenMerge, HeldUser, StoredUser } from "../domain/ports.ts";
import type { Mark, Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { UserId } from "../domain/user-key.ts";

/** A user while a step works on it. The profile is changed in place. */
export interface WorkingUser {
  profile: Profile | undefined;
  rowChars: number;
  held: boolean;
  openMerges: readonly string[];
  touched: boolean;
  /** Why its row could not be read: whatever comes for it waits, and only a delete changes it. */
  readonly unreadable?: string;
}

/** Why a user's records are held from a mark on. */
export interface Poison {
  readonly mark: Mark;
  readonly reason: string;
}

/** The pure steps, as arguments so that a test can make one throw. */
export interface PureSteps {
  applyRecord(profile: Profile | undefined, record: ProfileRecord): Profile | null;
  freeze(sides: { source: Profile; target: Profile }, awaiting: MergeRecord<"await">): FrozenMerge;
  takeIn(target: Profile, source: Profile, awaiting: MergeRecord<"await">): Profile;
  takeBack(frozen: FrozenMerge, undo: MergeRecord<"undo">): {
    readonly source: Profile;
    readonly target: Profile;
    readonly sourceRecords: readonly ProfileRecord[];
    readonly targetRecords: readonly ProfileRecord[];
  };
}

/** One traversal of a workspace's records: what it read, and what it will write. */
export interface WorkspaceWork {
  readonly users: Map<UserId, WorkingUser>;
  /** Frozen copies that were loaded for an undo or a delete; a step's own are in `frozen`. */
  readonly loadedFrozen: ReadonlyMap<string, FrozenMerge>;
  /** Records of users who were held before the step, loaded for a delete. */
  readonly loadedHeld: ReadonlyMap<UserId, HeldUser>;
  /** Found by an earlier traversal of the same step. */
  readonly poison: ReadonlyMap<UserId, Poison>;
  readonly found: Map<UserId, Poison>;
  readonly handoffs: Map<string, ProfileRecord>;
  readonly frozen: Map<string, FrozenMerge | null>;
  readonly journal: Map<string, ProfileRecord[]>;
  readonly held: Map<UserId, { reason: string; records: ProfileRecord[] } | null>;
  readonly heldMore: Map<UserId, ProfileRecord[]>;
  /** Records that were applied, in order. */
  readonly told: ProfileRecord[];
}

export function beginWork(
  loaded: Pick<WorkspaceWork, "users" | "loadedFrozen" | "loadedHeld">,
  poison: ReadonlyMap<UserId, Poison>,
): WorkspaceWork {
  return {
    ...loaded,
    poison,
    found: new Map(),
    handoffs: new Map(),
    frozen: new Map(),
    journal: new Map(),
    held: new Map(),
    heldMore: new Map(),
    told: [],
  };
}

export function toWorking({ profile, rowChars, held, openMerges }: StoredUser): WorkingUser {
  return { profile, rowChars, held, openMerges, touched: false };
}

/** The user at hand; one that was never loaded is a fault of the prefetch. */
export function workingUser(work: WorkspaceWork, id: UserId): WorkingUser {
  const user = work.users.get(id);
  if (user === undefined) throw new Error(`Expected user "${id}" to be loaded for the step, got nothing`);
  return user;
}

/** Appends to the records of a held user, or begins to hold it. */
export function holdRecord(work: WorkspaceWork, record: ProfileRecord, reason: string): void {
  holdUser(work, record.userId, reason);
  const begun = work.held.get(record.userId);
  if (begun) begun.records.push(record);
  else pushTo(work.heldMore, record.userId, record);
}

/** Holds whatever comes next for the user. */
export function holdUser(work: WorkspaceWork, id: UserId, reason: string): void {
  const user = workingUser(work, id);
  if (user.held) return;
  user.held = true;
  work.held.set(id, { reason, records: [] });
}

export function pushTo<Key, Value>(lists: Map<Key, Value[]>, key: Key, value: Value): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
