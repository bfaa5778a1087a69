/** Identity rows: who has which name. Written by the resolver alone, and never changed in place. */
import type { RequestHashes } from "../../../../platform/same-request.ts";
import type { EmailStatus, MembershipState } from "../record/track-object.ts";
import type { Alias, UserId } from "../record/user-key.ts";

/**
 * The key of an identity row:
 * - `x:<external id>` and `a:<label>\u0000<name>` -> UserId. While a merge can be undone, the names that its source
 *   lost keep pointing to the source, which has no row of its own: such a name is free, but known to be untouched.
 * - `u:<user id>` -> UserRow
 * - `t:<user id>` -> UserId of the live user who has taken in the user of this id, by one merge or several
 * - `d:<device id>` -> UserId of the live user who was heard of on the device last
 * - `e:<email>` and `p:<phone>` -> Sharer[]
 * - `r:<key hash>` -> RepeatRow
 * - `j:<job id>` -> JobRow
 * - `m:<merge id>` -> MergeRow
 * - `n:users` -> how many users were numbered as they were created
 * - `n:total` -> UserTotal (count-rows.ts)
 * - `n:counted` -> CountedTimes; `n:newest`, `n:m:<hour>` and `n:d:<day>` -> CountRow: the newest minute, by minute, by hour (count-rows.ts). One
 *   process keeps `n:newest` beside its workspaces' names
 * - `w:x:<external id>`, `w:e:<email>`, `w:p:<phone>` -> PendingRow, while no user has the name; `w:count` -> how many there are
 */
export type IdentityKey = `${IdentityKind}:${string}`;
export type IdentityKind = "x" | "a" | "u" | "t" | "d" | "e" | "p" | "r" | "j" | "m" | "w" | "n";

/** Everything the resolver knows of one user. */
export interface UserRow {
  readonly id: UserId;
  readonly externalId: string | null;
  /** Former external ids that still resolve. */
  readonly deprecatedIds: readonly string[];
  readonly aliases: readonly Alias[];
  readonly email: string | null;
  readonly phone: string | null;
  /** Merge ids with an open undo window that this user is the target of, newest last. */
  readonly merges: readonly string[];
  /** Users whom this one has taken in, those whom they had taken in among them, newest last: each has its `t:` row. */
  readonly tookIn?: readonly UserId[];
  /** Devices on which the user was heard of, the latest last; one that another has taken over since stays, and has that one's `d:` row. */
  readonly devices?: readonly KnownDevice[];
  /** An email status set while the user had no email: sent when one is attached. */
  readonly heldEmailStatus?: EmailStatus;
}

export interface KnownDevice {
  readonly id: string;
  /** Of the record that made it the user's; with open merges of the last one that named it. */
  readonly at: Recency;
}

/** One of the users who hold an address; a row lists them by recency, the latest last. */
export interface Sharer {
  readonly id: UserId;
  readonly identified: boolean;
  /**
   * [sequence, part] of the record that touched the user last. [0, 0]: the address was never shared, so nothing is
   * kept; [0, 1] (and [0, 2]): untouched since it became shared.
   */
  readonly updated: Recency;
}

export type Recency = readonly [sequence: number, part: number];

/** What an idempotency key was answered. */
export interface RepeatRow extends RequestHashes {
  readonly answer: string;
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly expiresAt: number;
  /** What became of the parts of the request, where the answer reports it. */
  readonly items?: readonly ItemOutcome[];
}

/** What became of one element of a request. */
export interface ItemOutcome {
  readonly index: number;
  readonly ok: boolean;
  /** Empty where `ok`. */
  readonly reason: string;
}

/** What became of each update of a merge or identify request. */
export interface JobRow {
  readonly outcomes: readonly JobOutcome[];
  /** Unix milliseconds; nothing can be undone any more by then. */
  readonly expiresAt: number;
}

export interface JobOutcome {
  readonly status: "merged" | "identified" | "not_merged" | "undone" | "undo_refused";
  /** Why nothing happened, in words; empty where something did. */
  readonly reason: string;
  readonly sourceId: UserId | null;
  readonly targetId: UserId | null;
  readonly mergeId: string | null;
  /** Unix milliseconds; 0: cannot be undone. */
  readonly undoUntil: number;
}

/** What the resolver must remember to take a merge back; there only as long as it can be. */
export interface MergeRow {
  readonly mergeId: string;
  readonly jobId: string;
  readonly index: number;
  /** Both sides as they would be now had the merge not been. */
  readonly source: UserRow;
  readonly target: UserRow;
  readonly sourceRecency: SideRecency;
  readonly targetRecency: SideRecency;
  readonly undoUntil: number;
  readonly state: "open" | "undone" | "closed";
  /** Why the merge can no longer be undone, in words. */
  readonly blocked?: string;
}

/** Recency that a side of a merge would have: as it was in the rows of its addresses, and by what it was sent since. */
export interface SideRecency {
  readonly email: Recency | null;
  readonly phone: Recency | null;
  readonly since: Recency | null;
}

/** Memberships that wait for a user to get the name, the latest state of each group behind earlier ones. */
export interface PendingRow {
  readonly memberships: readonly PendingMembership[];
}

export interface PendingMembership {
  readonly groupId: string;
  readonly state: MembershipState;
  /** Of the request that set it. */
  readonly requestId: string;
  readonly actor: string;
  /** Its place in the log; absent where a build wrote it that did not keep it. */
  readonly sequence?: number;
}
