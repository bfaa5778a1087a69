/** What the profile service needs from outside: the stores of identities and profiles, and the step that writes them. */
import type { IdentityKey } from "./identity.ts";
import type { Profile } from "./profile.ts";
import type { ProfileRecord } from "./profile-record.ts";
import type { EmailStatus, MembershipState } from "./track-object.ts";
import type { UserId } from "./user-key.ts";

/** Identity rows, one net value a key. */
export interface IdentityStore {
  /** The rows of the keys that exist; a missing key is absent from the map. Values are JSON data. */
  load(workspaceId: string, keys: readonly IdentityKey[]): Promise<Map<IdentityKey, unknown>>;
}

/** Profiles, one row a user. */
export interface ProfileStore {
  /** The profiles of the ids that exist. The caller owns the objects. */
  load(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, Profile>>;
  /** Up to `max` profiles with an id above `after` ("" is the start), by id. */
  page(workspaceId: string, after: UserId, max: number): Promise<Profile[]>;
  /** The frozen copy of a merge's source. */
  loadFrozen(workspaceId: string, mergeIds: readonly string[]): Promise<Map<string, FrozenMerge>>;
  /** Records held back, by user, in order. */
  loadHeld(workspaceId: string, ids: readonly UserId[]): Promise<Map<UserId, HeldUser>>;
}

/** Both sides of a merge as they were, and what was sent to the target since, kept for the undo window. */
export interface FrozenMerge {
  readonly source: Profile;
  readonly targetBefore: Profile;
  readonly journal: readonly ProfileRecord[];
  readonly undoUntil: number;
}

/** A user whose records wait: the first one's pure step threw, or it awaits such a user. */
export interface HeldUser {
  readonly reason: string;
  readonly records: readonly ProfileRecord[];
}

/** The one writer of everything the pass decides. */
export interface StepStore {
  /** The last sequence of the partition whose effects are written; 0 at the start. */
  checkpoint(partition: number): Promise<number>;
  /** Writes a step whole or not at all, durably. Repeating a step is harmless. */
  commit(step: Step): Promise<void>;
}

/** The effects of a run of intake records. */
export interface Step {
  readonly partition: number;
  /** The last sequence this step covers. */
  readonly through: number;
  readonly workspaces: readonly WorkspaceStep[];
}

export interface WorkspaceStep {
  readonly workspaceId: string;
  /** undefined deletes the row. */
  readonly identities: ReadonlyMap<IdentityKey, unknown>;
  /** null deletes the profile. */
  readonly profiles: ReadonlyMap<UserId, Profile | null>;
  /** null forgets the frozen copies. */
  readonly frozen: ReadonlyMap<string, FrozenMerge | null>;
  /** null: the user is free again. */
  readonly held: ReadonlyMap<UserId, HeldUser | null>;
  readonly consent: readonly ConsentRecord[];
}

/** A record for the lanes of the services that own consent, in the resolver's order (heddle.lane.v1). */
export type ConsentRecord =
  & { readonly sequence: number; readonly part: number; readonly at: number; readonly requestId: string; readonly actor: string }
  & (
    | { readonly type: "membership"; readonly userId: UserId; readonly groupId: string; readonly state: MembershipState }
    | { readonly type: "emailStatus"; readonly address: string; readonly status: EmailStatus }
    | { readonly type: "userDeleted"; readonly userId: UserId }
    | { readonly type: "userMerged"; readonly userId: UserId; readonly mergeId: string; readonly sourceId: UserId }
    | { readonly type: "mergeUndone"; readonly userId: UserId; readonly mergeId: string; readonly sourceId: UserId }
  );
