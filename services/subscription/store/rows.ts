/** The row of a user's memberships, and what builds before left of groups: JSON text. */
import type { Group } from "../domain/group.ts";
import type { OrderedGroups } from "../domain/group-order.ts";
import type { Groups, OpenMerge, UserMemberships } from "../domain/memberships.ts";

export function membershipsToRow(user: UserMemberships): string {
  return JSON.stringify(toPlain(user));
}

export function membershipsFromRow(text: string): UserMemberships {
  return membershipsFromJson(JSON.parse(text));
}

/** From what `membershipsToRow` wrote, parsed. */
export function membershipsFromJson(value: unknown): UserMemberships {
  return fromPlain(value as PlainUser);
}

/** What was declared before groups had a place in the order holds from its beginning. */
export function groupsFromBeginning(groups: readonly Group[]): OrderedGroups {
  return { mark: [0, -1], groups: groups.map((group) => ({ ...group, turns: group.archived ? [] : [0] })), refused: [] };
}

interface PlainUser extends Omit<UserMemberships, "groups" | "merges"> {
  /** Pairs: a group id is never a key of an object. */
  readonly groups: PlainGroups;
  readonly merges: readonly (Omit<OpenMerge, "source" | "before"> & { readonly source: PlainUser; readonly before: PlainGroups })[];
}

type PlainGroups = readonly (readonly [string, "subscribed" | "unsubscribed"])[];

function toPlain(user: UserMemberships): PlainUser {
  return {
    ...user,
    groups: pairs(user.groups),
    merges: user.merges.map(({ source, before, ...merge }) => ({ ...merge, source: toPlain(source), before: pairs(before) })),
  };
}

function fromPlain(user: PlainUser): UserMemberships {
  return {
    ...user,
    groups: new Map(user.groups),
    merges: user.merges.map(({ source, before, ...merge }) => ({ ...merge, source: fromPlain(source), before: new Map(before) })),
  };
}

function pairs(groups: Groups): PlainGroups {
  return [...groups];
}
