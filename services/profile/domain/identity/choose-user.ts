/** Which user a name means, where an address may be held by several. */
import type { Identities } from "./identities.ts";
import type { Sharer, UserRow } from "./identity.ts";
import type { Priority, UserId, UserKey, UserSelector } from "../record/user-key.ts";
import { addressOf, aliasKey, externalIdKey } from "./user-names.ts";

/**
 * The user to whom data goes (spec, track rule 4): of several who share the address the one updated last that has an
 * external id, else the one updated last.
 */
export function findUser(view: Identities, key: UserKey): UserRow | undefined {
  switch (key.by) {
    case "externalId":
      return view.userOf(externalIdKey(key.id));
    case "alias":
      return view.userOf(aliasKey(key.label, key.name));
    case "platformId":
      return view.user(key.id) ?? takerOf(view, key.id);
    case "email":
    case "phone":
      return liveUser(view, latestOf(view.sharers(addressOf(key))));
  }
}

/**
 * The one user a selector means, or why there is none. Each priority keeps those of the candidates that it favours,
 * and all of them where it favours none (spec, merge rules 2 and 3); more than one left means no user.
 */
export function selectUser(view: Identities, selector: UserSelector): Selection {
  const { key, prioritization } = selector;
  if (key.by !== "email" && key.by !== "phone") {
    // Data follows a merge; what merges or deletes a user means the user of this very id
    const user = key.by === "platformId" ? view.user(key.id) : findUser(view, key);
    return user === undefined ? { reason: "does not exist" } : { user };
  }
  const left = prioritization.reduce(favoured, view.sharers(addressOf(key)));
  if (left.length > 1) return { reason: `is not one user: ${left.length} users match` };
  const user = liveUser(view, left[0]);
  return user === undefined ? { reason: "does not exist" } : { user };
}

export type Selection =
  | { readonly user: UserRow; readonly reason?: undefined }
  /** A predicate; the caller adds its subject. */
  | { readonly user?: undefined; readonly reason: string };

/** The sharer to whom data goes; a list stands in the order of recency. */
export function latestOf(sharers: readonly Sharer[]): Sharer | undefined {
  return sharers.findLast((sharer) => sharer.identified) ?? sharers.at(-1);
}

function favoured(candidates: readonly Sharer[], priority: Priority): readonly Sharer[] {
  switch (priority) {
    case "identified":
      return someOf(candidates, candidates.filter((sharer) => sharer.identified));
    case "unidentified":
      return someOf(candidates, candidates.filter((sharer) => !sharer.identified));
    case "most_recently_updated":
      return candidates.slice(-1);
    case "least_recently_updated":
      return candidates.slice(0, 1);
  }
}

function someOf(all: readonly Sharer[], some: readonly Sharer[]): readonly Sharer[] {
  return some.length === 0 ? all : some;
}

function takerOf(view: Identities, id: UserId): UserRow | undefined {
  const taker = view.takerOf(id);
  return taker === undefined ? undefined : view.user(taker);
}

function liveUser(view: Identities, sharer: Sharer | undefined): UserRow | undefined {
  return sharer === undefined ? undefined : view.user(sharer.id);
}
