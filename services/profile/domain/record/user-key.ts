/** How a client names a user, and the strings under which names are kept. */

/** The user's own id: 24 hex digits, given out by the resolver, never used twice. Clients see it as `platform_id`. */
export type UserId = string;

/** One name of a user. Values are normalised: email and phone by platform/address.ts, numeric ids as text. */
export type UserKey =
  | { readonly by: "externalId"; readonly id: string }
  | { readonly by: "alias"; readonly label: string; readonly name: string }
  | { readonly by: "platformId"; readonly id: UserId }
  | { readonly by: "email"; readonly address: string }
  | { readonly by: "phone"; readonly number: string };

export interface Alias {
  readonly label: string;
  readonly name: string;
}

/** How to choose among users who share an address, first rule first. */
export type Priority = "identified" | "unidentified" | "most_recently_updated" | "least_recently_updated";

/** A user by any name; `prioritization` is empty but for email and phone. */
export interface UserSelector {
  readonly key: UserKey;
  readonly prioritization: readonly Priority[];
}

/** One text a key. Two kinds of key of one user count as two users: who they are is known only later. */
export function nameOf(user: UserKey): string {
  switch (user.by) {
    case "alias":
      return `alias ${user.label}\u0000${user.name}`;
    case "email":
      return `email ${user.address}`;
    case "phone":
      return `phone ${user.number}`;
    default:
      return `${user.by} ${user.id}`;
  }
}
