/** Applies one record to the memberships of the users it speaks of. */
import { aheadAt, isAfter, type RecordId } from "../../../platform/age.ts";
import type { ConsentChange, MembershipChange, MembershipRecord } from "./membership-record.ts";
import { type Groups, mergeGroups, noMemberships, subjectsOf, type UserId, type UserMemberships } from "./memberships.ts";

/** The users of a step by id, changed in place; those a record speaks of are loaded or known to have nothing. */
export interface StepUsers {
  readonly users: Map<UserId, UserMemberships>;
  /** Whether a group took changes at the sequence: an unknown one and an archived one do not. */
  readonly takesChanges: (groupId: string, sequence: number) => boolean;
  /**
   * Called where two users who change at once were not read as of one moment: one of them is past a record without which
   * the other cannot be. Where it returns, the record counts for neither more than the rows allow.
   */
  readonly onSkew?: () => void;
}

export interface Applied {
  readonly changes: readonly ConsentChange[];
  /** Users whose history is to be erased. */
  readonly erased: readonly UserId[];
}

/**
 * A record does nothing to a user whose mark is at or above its own. One of two users, a merge or an undo, may find one
 * of them past it already, where the two were not written at once: then it does the other's part alone.
 */
export function applyRecord(step: StepUsers, record: MembershipRecord): Applied {
  const { change } = record;
  const user = userOf(step, record.userId);
  const isNew = isAfter(record.mark, user.mark);
  if (isNew) {
    user.ahead = aheadAt(record.mark, user);
    user.mark = record.mark;
  }
  switch (change.type) {
    case "set":
      return isNew ? applySet(step, user, { ...change, mark: record.mark }) : nothing;
    case "merged":
      return applyMerged(step, user, { ...change, mark: record.mark, isNew });
    case "undone":
      if (!isNew && isAfter(record.mark, userOf(step, change.sourceId).mark)) step.onSkew?.();
      return isNew ? applyUndone(step, user, { ...change, mark: record.mark }) : nothing;
    case "deleted":
      return isNew ? applyDeleted(step, user) : nothing;
  }
}

/**
 * The users whose rows hold what the other side's part is made of, once they are written: the target of a merge has taken
 * the source in, the source of an undo has come back. Written first, nothing is lost by whatever stops between the two.
 */
export function writtenFirst({ userId, change }: MembershipRecord): UserId[] {
  switch (change.type) {
    case "merged":
      return [userId];
    case "undone":
      return [change.sourceId];
    default:
      return [];
  }
}

const nothing: Applied = { changes: [], erased: [] };

function userOf({ users }: StepUsers, id: UserId): UserMemberships {
  const found = users.get(id) ?? noMemberships(id);
  users.set(id, found);
  return found;
}

interface Place {
  readonly mark: RecordId;
}

type Change<Type extends MembershipChange["type"]> = Extract<MembershipChange, { type: Type }>;

function applySet(step: StepUsers, user: UserMemberships, change: Change<"set"> & Place): Applied {
  const { groupId, askedAt = change.mark[0], laterAt = [] } = change;
  if (!step.takesChanges(groupId, askedAt) || laterAt.some((later) => step.takesChanges(groupId, later))) return nothing;
  const before = new Map(user.groups);
  setIn(user, change, change.side);
  return { changes: changesOf(user, before, change.carried ? "carried" : "set"), erased: [] };
}

/** Sets the state as it shows, and on each side of open merges that was addressed. */
function setIn(user: UserMemberships, change: Change<"set">, side: readonly string[]): void {
  put(user.groups, change);
  for (const { mergeId, source, before } of user.merges.toReversed()) {
    if (side[0] === mergeId) {
      setIn(source, change, side.slice(1));
      // The change is addressed to the source: it concerns no older merge of this user
      return;
    }
    put(before, change);
  }
}

function put(groups: Groups, { groupId, state, carried }: Change<"set">): void {
  if (carried && state === "subscribed" && groups.has(groupId)) return;
  groups.set(groupId, state);
}

function applyMerged(
  step: StepUsers,
  user: UserMemberships,
  { mergeId, sourceId, undoUntil, mark, isNew }: Change<"merged"> & Place & { readonly isNew: boolean },
): Applied {
  const source = userOf(step, sourceId);
  if (isNew && !isAfter(mark, source.mark)) step.onSkew?.();
  const gone = isAfter(mark, source.mark) ? emptied(step, source, mark) : [];
  if (!isNew) return { changes: gone, erased: [] };
  const before = new Map(user.groups);
  if (undoUntil > 0) user.merges.push({ mergeId, undoUntil, source: { ...source }, before: new Map(before) });
  else user.absorbed.push(...subjectsOf(source));
  user.groups = mergeGroups(user.groups, source.groups);
  return { changes: [...changesOf(user, before, "merged"), ...gone], erased: [] };
}

/** The source has no state of its own while it is part of the target. */
function emptied(step: StepUsers, source: UserMemberships, mark: RecordId): ConsentChange[] {
  const left: UserMemberships = { ...noMemberships(source.userId), mark, ahead: aheadAt(mark, source) };
  step.users.set(source.userId, left);
  return changesOf(left, source.groups, "merged");
}

function applyUndone(step: StepUsers, user: UserMemberships, { mergeId, sourceId, mark }: Change<"undone"> & Place): Applied {
  const at = user.merges.findIndex((merge) => merge.mergeId === mergeId);
  const merge = user.merges[at];
  if (merge === undefined) return nothing;
  const before = user.groups;
  user.groups = new Map(merge.before);
  user.merges = user.merges.slice(0, at);
  const gone = userOf(step, sourceId);
  const back = isAfter(mark, gone.mark) ? restored(step, { ...merge.source, mark, ahead: aheadAt(mark, gone) }) : [];
  return { changes: [...changesOf(user, before, "undone"), ...back], erased: [] };
}

function restored(step: StepUsers, source: UserMemberships): ConsentChange[] {
  step.users.set(source.userId, source);
  return changesOf(source, new Map(), "undone");
}

function applyDeleted(step: StepUsers, user: UserMemberships): Applied {
  const erased = subjectsOf(user);
  // An applier that reads the lane again has to see that their records are applied
  const { mark, ahead } = user;
  for (const userId of erased) step.users.set(userId, { ...noMemberships(userId), mark, ahead });
  return { changes: [], erased };
}

function changesOf({ userId, groups }: UserMemberships, earlier: Groups, kind: ConsentChange["kind"]): ConsentChange[] {
  const ids = new Set([...earlier.keys(), ...groups.keys()]);
  return [...ids].flatMap((groupId) => {
    const before = earlier.get(groupId) ?? null;
    const after = groups.get(groupId) ?? null;
    return before === after ? [] : [{ userId, groupId, kind, before, after }];
  });
}
