/** Applies one record to the memberships of the users it speaks of. */
import type { ConsentChange, MembershipChange, MembershipRecord } from "./membership-record.ts";
import {
  closeOverMerges,
  type Groups,
  type Mark,
  mergeGroups,
  noMemberships,
  subjectsOf,
  type UserId,
  type UserMemberships,
} from "./memberships.ts";

/** The users of a step by id, changed in place; those a record speaks of are loaded or known to have nothing. */
export interface StepUsers {
  readonly users: Map<UserId, UserMemberships>;
  /** Whether a group takes changes: an unknown one and an archived one do not. */
  readonly takesChanges: (groupId: string) => boolean;
}

export interface Applied {
  readonly changes: readonly ConsentChange[];
  /** Users whose history is to be erased. */
  readonly erased: readonly UserId[];
}

/** A record at or below the user's mark does nothing. */
export function applyRecord(step: StepUsers, record: MembershipRecord): Applied {
  const user = userOf(step, record.userId);
  if (!isAfter(record.mark, user.mark)) return nothing;
  user.mark = record.mark;
  closeOverMerges(user, record.at);
  const { change } = record;
  switch (change.type) {
    case "set":
      return applySet(step, user, change);
    case "merged":
      return applyMerged(step, user, change);
    case "undone":
      return applyUndone(step, user, { ...change, mark: record.mark });
    case "deleted":
      return applyDeleted(step, user);
  }
}

const nothing: Applied = { changes: [], erased: [] };

function userOf({ users }: StepUsers, id: UserId): UserMemberships {
  const found = users.get(id) ?? noMemberships(id);
  users.set(id, found);
  return found;
}

function isAfter(mark: Mark, other: Mark): boolean {
  return mark[0] > other[0] || (mark[0] === other[0] && mark[1] > other[1]);
}

type Change<Type extends MembershipChange["type"]> = Extract<MembershipChange, { type: Type }>;

function applySet(step: StepUsers, user: UserMemberships, change: Change<"set">): Applied {
  if (!step.takesChanges(change.groupId)) return nothing;
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
      // Older merges of this user have no part in what the source was told
      return;
    }
    put(before, change);
  }
}

function put(groups: Groups, { groupId, state, carried }: Change<"set">): void {
  if (carried && state === "subscribed" && groups.has(groupId)) return;
  groups.set(groupId, state);
}

function applyMerged(step: StepUsers, user: UserMemberships, { mergeId, sourceId, undoUntil }: Change<"merged">): Applied {
  const source = userOf(step, sourceId);
  const before = new Map(user.groups);
  if (undoUntil > 0) user.merges.push({ mergeId, undoUntil, source: { ...source }, before: new Map(before) });
  else user.absorbed.push(...subjectsOf(source));
  user.groups = mergeGroups(user.groups, source.groups);
  const gone = emptied(step, source);
  return { changes: [...changesOf(user, before, "merged"), ...gone], erased: [] };
}

/** The source has no state of its own while it is part of the target. */
function emptied(step: StepUsers, source: UserMemberships): ConsentChange[] {
  const left: UserMemberships = { ...noMemberships(source.userId), mark: source.mark };
  step.users.set(source.userId, left);
  return changesOf(left, source.groups, "merged");
}

function applyUndone(step: StepUsers, user: UserMemberships, { mergeId, mark }: Change<"undone"> & { readonly mark: Mark }): Applied {
  const at = user.merges.findIndex((merge) => merge.mergeId === mergeId);
  const merge = user.merges[at];
  if (merge === undefined) return nothing;
  const before = user.groups;
  user.groups = new Map(merge.before);
  user.merges = user.merges.slice(0, at);
  const source: UserMemberships = { ...merge.source, mark };
  step.users.set(source.userId, source);
  return { changes: [...changesOf(user, before, "undone"), ...changesOf(source, new Map(), "undone")], erased: [] };
}

function applyDeleted(step: StepUsers, user: UserMemberships): Applied {
  const erased = subjectsOf(user);
  step.users.set(user.userId, { ...noMemberships(user.userId), mark: user.mark });
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
