/** The row of a user's memberships: JSON text. */
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
