/** Identity rows: who has which name. Written by the resolver alone, and never changed in place. */
import type { Alias, UserId } from "./user-key.ts";

/**
 * The key of an identity row:
 * - `x:<external id>` and `a:<label>\u0000<name>` -> UserId
 * - `u:<user id>` -> UserRow
 * - `e:<email>` and `p:<phone>` -> Sharer[]
 * - `r:<key hash>` -> RepeatRow
 * - `j:<job id>` -> JobRow
 * - `m:<merge id>` -> MergeRow
 */
export type IdentityKey = `${"x" | "a" | "u" | "e" | "p" | "r" | "j" | "m"}:${string}`;

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
}

/** One of the users who hold an address. Recency is kept only where there are two or more. */
export interface Sharer {
  readonly id: UserId;
  readonly identified: boolean;
  /** [sequence, part] of the record that touched the user last; [0, 0] while it held the address alone. */
  readonly updated: readonly [number, number];
}

/** What an idempotency key was answered. */
export interface RepeatRow {
  readonly bodyHash: string;
  readonly answer: string;
  readonly sequence: number;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** What became of each update of a merge or identify request. */
export interface JobRow {
  readonly outcomes: readonly JobOutcome[];
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

/** What the resolver must remember to take a merge back. */
export interface MergeRow {
  readonly mergeId: string;
  readonly jobId: string;
  readonly index: number;
  /** Both sides as they were before the merge. */
  readonly source: UserRow;
  readonly target: UserRow;
  readonly undoUntil: number;
  readonly state: "open" | "undone" | "closed";
}
