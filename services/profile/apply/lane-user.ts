/** A user while an applier works on it, and what the work will write. */
import type { BlockedState, FrozenMerge, Handoff, StoredUser, UserChanges, UserState } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { isAfter, type RecordId } from "../../../platform/age.ts";

/** The profile is changed in place. */
export interface LaneUser {
  readonly id: UserId;
  profile: Profile | undefined;
  row: string;
  blocked: boolean;
  openMerges: readonly string[];
  /** The last record that is in the profile; undefined where there was never a row. */
  mark: RecordId | undefined;
  readonly isNew: boolean;
}

export function laneUser(id: UserId, { profile, row, blocked, openMerges, mark }: StoredUser): LaneUser {
  return { id, profile, row, blocked, openMerges, mark, isNew: mark === undefined };
}

/** The row as it was saved: that of before where the profile did not change. */
export function noteRow(user: LaneUser, rows?: ReadonlyMap<Profile, string>): void {
  user.row = user.profile === undefined ? "" : rows?.get(user.profile) ?? user.row;
}

/** Whether the user's state has the record of this mark, or has passed it over. */
export function isPast(user: Pick<LaneUser, "mark">, mark: RecordId): boolean {
  return user.mark !== undefined && !isAfter(mark, user.mark);
}

/** Undefined before the first record. */
export function stateOf({ profile, mark, openMerges, isNew }: LaneUser): UserState | undefined {
  return mark && { profile: profile ?? null, mark, openMerges, isNew };
}

export interface LaneChanges extends UserChanges {
  readonly users: Map<UserId, UserState>;
  readonly handoffs: Map<string, Handoff>;
  readonly frozen: Map<string, FrozenMerge>;
  readonly journal: Map<string, ProfileRecord[]>;
  readonly blocked: Map<UserId, BlockedState | null>;
}

export function noChanges(workspaceId: string): LaneChanges {
  return {
    workspaceId,
    users: new Map(),
    handoffs: new Map(),
    frozen: new Map(),
    journal: new Map(),
    blocked: new Map(),
  };
}

/** Merges of a user are taken back newest first, so the newest journal alone takes the record, and passes it on later. */
export function journalRecord(changes: LaneChanges, user: LaneUser, record: ProfileRecord): void {
  const newest = user.openMerges.at(-1);
  if (newest === undefined) return;
  const list = changes.journal.get(newest);
  if (list === undefined) changes.journal.set(newest, [record]);
  else list.push(record);
}
