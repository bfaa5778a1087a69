/** What a backup takes from one profile store and gives to another: rows of users and of everything by which they are found. */
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { FrozenMerge } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";

/** Some rows of one workspace; over all pieces each row comes once, in no order. */
export interface ProfileRows {
  readonly workspaceId: string;
  readonly identities?: ReadonlyMap<IdentityKey, unknown>;
  readonly users?: readonly MovedUser[];
  readonly frozen?: ReadonlyMap<string, FrozenMerge>;
}

export interface MovedUser {
  readonly profile: Profile;
  /** Ids of its merges that can be undone, newest last. */
  readonly openMerges: readonly string[];
}

/** A profile store at rest, as a backup sees it. No other process writes to it meanwhile. */
export interface ProfileMove {
  /** Of a data folder: what a server that runs would apply, in words. Of the mesh its logs say that. */
  unapplied?(): string[];
  /** What waits for a human, in words; empty where nothing does. */
  waiting(): Promise<string[]>;
  /** All rows of these workspaces. Origins of fields and what waits are left out. */
  read(workspaceIds: ReadonlySet<string>): AsyncIterable<ProfileRows>;
  /** Into a store whose log goes on above `through`; doing it again is harmless. */
  write(rows: ProfileRows, through: number): Promise<void>;
}
