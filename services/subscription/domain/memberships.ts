/** What is kept of a user: the state in each group, and both sides of merges that can still be undone. */
import type { RecordId } from "../../../platform/age.ts";

export type UserId = string;
export type MembershipState = "subscribed" | "unsubscribed";

/** By group id; a group without an entry was never set. Group ids are client-chosen: keys of a Map, never of an object. */
export type Groups = Map<string, MembershipState>;

export interface UserMemberships {
  readonly userId: UserId;
  /** Records at or below it are already in. */
  mark: RecordId;
  /** How much younger it is than the mark says: see `aheadAt`. */
  ahead?: number | undefined;
  groups: Groups;
  /** With an open undo window, newest last. */
  merges: OpenMerge[];
  /** Users that went into this one for good: their histories go with it. */
  absorbed: UserId[];
}

/** Both sides as they would be now had the merge not been. */
export interface OpenMerge {
  readonly mergeId: string;
  /** Unix milliseconds. */
  readonly undoUntil: number;
  readonly source: UserMemberships;
  readonly before: Groups;
}

export function noMemberships(userId: UserId): UserMemberships {
  return { userId, mark: [0, -1], groups: new Map(), merges: [], absorbed: [] };
}

/** The user and all whose history belongs to it. */
export function subjectsOf({ userId, absorbed, merges }: UserMemberships): UserId[] {
  return [userId, ...absorbed, ...merges.flatMap(({ source }) => subjectsOf(source))];
}

/** Merges whose window is over, and all before those: the newest is undone first. Their sources are part of the user for good. */
export function closeOverMerges(user: UserMemberships, now: number): void {
  const over = user.merges.findLastIndex(({ undoUntil }) => now > undoUntil) + 1;
  if (over === 0) return;
  for (const { source } of user.merges.slice(0, over)) user.absorbed.push(...subjectsOf(source));
  user.merges = user.merges.slice(over);
}

/**
 * The state of one person from that of two: unsubscribed if either is, otherwise subscribed if either is.
 * A merge never makes consent weaker than either side had it.
 */
export function mergeGroups(target: Groups, source: Groups): Groups {
  const merged = new Map(target);
  for (const [group, state] of source) {
    if (state === "unsubscribed" || !merged.has(group)) merged.set(group, state);
  }
  return merged;
}

/** What an address says of all who share it: unsubscribed if one is, undefined where nothing was ever set. */
export function sharedState(states: readonly (MembershipState | undefined)[]): MembershipState | undefined {
  return states.includes("unsubscribed") ? "unsubscribed" : states.find((state) => state !== undefined);
}
