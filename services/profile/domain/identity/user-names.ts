/** The names of users: the keys of their rows, and what a user and a list of sharers look like when a name changes. */
import { noItems } from "../../../../platform/own-entries.ts";
import type { IdentityKey, Recency, Sharer, UserRow } from "./identity.ts";
import type { EmailStatus } from "../record/track-object.ts";
import type { Alias, UserId, UserKey } from "../record/user-key.ts";

/** A name that one user holds alone. */
export type NameKey = `x:${string}` | `a:${string}`;
/** An address that users may share. */
export type AddressKey = `e:${string}` | `p:${string}`;

export function isAddressKey(key: IdentityKey): key is AddressKey {
  return key.startsWith("e:") || key.startsWith("p:");
}

/** A device, which means one user, however many it was used by. */
export type DeviceKey = `d:${string}`;

export function externalIdKey(id: string): NameKey {
  return `x:${id}`;
}

export function aliasKey(label: string, name: string): NameKey {
  return `a:${label}\u0000${name}`;
}

export function userRowKey(id: UserId): `u:${string}` {
  return `u:${id}`;
}

export function deviceKey(id: string): DeviceKey {
  return `d:${id}`;
}

/** The key of the row that names the user who has taken this one in. */
export function takerKey(id: UserId): `t:${string}` {
  return `t:${id}`;
}

export function emailKey(address: string): AddressKey {
  return `e:${address}`;
}

export function phoneKey(number: string): AddressKey {
  return `p:${number}`;
}

export type AddressUserKey = Extract<UserKey, { by: "email" | "phone" }>;

export function addressOf(key: AddressUserKey): AddressKey {
  return key.by === "email" ? emailKey(key.address) : phoneKey(key.number);
}

/** The key of the row that a look-up by this name begins with. */
export function firstKey(key: UserKey): IdentityKey {
  switch (key.by) {
    case "externalId":
      return externalIdKey(key.id);
    case "alias":
      return aliasKey(key.label, key.name);
    case "platformId":
      return userRowKey(key.id);
    case "email":
    case "phone":
      return addressOf(key);
  }
}

/** The names that a user holds alone: external id, former ones, aliases. */
export function ownNames(row: UserRow): NameKey[] {
  const names = row.aliases.map((alias) => aliasKey(alias.label, alias.name));
  for (const id of row.deprecatedIds) names.push(externalIdKey(id));
  if (row.externalId !== null) names.push(externalIdKey(row.externalId));
  return names;
}

export function addressesOf(row: UserRow): AddressKey[] {
  const addresses: AddressKey[] = [];
  if (row.email !== null) addresses.push(emailKey(row.email));
  if (row.phone !== null) addresses.push(phoneKey(row.phone));
  return addresses;
}

export function holdsName(row: UserRow, key: UserKey): boolean {
  switch (key.by) {
    case "externalId":
      return row.externalId === key.id || row.deprecatedIds.includes(key.id);
    case "alias":
      return holdsAlias(row, key);
    case "platformId":
      return row.id === key.id || row.tookIn?.includes(key.id) === true;
    case "email":
      return row.email === key.address;
    case "phone":
      return row.phone === key.number;
  }
}

export function holdsAlias(row: UserRow, alias: Alias): boolean {
  return row.aliases.some((own) => own.label === alias.label && own.name === alias.name);
}

export function holdsLabel(row: UserRow, label: string): boolean {
  return row.aliases.some((own) => own.label === label);
}

export function nameless(id: UserId): UserRow {
  return { id, externalId: null, deprecatedIds: noItems, aliases: noItems, email: null, phone: null, merges: noItems };
}

/** A new user's row under the name by which it was first addressed. */
export function namedUser(id: UserId, key: UserKey): UserRow {
  const row = nameless(id);
  switch (key.by) {
    case "externalId":
      return { ...row, externalId: key.id };
    case "alias":
      return { ...row, aliases: [{ label: key.label, name: key.name }] };
    case "email":
      return { ...row, email: key.address };
    case "phone":
      return { ...row, phone: key.number };
    case "platformId":
      return row;
  }
}

/** What an object sets of a user's addresses; absent: untouched. */
export interface AddressChange {
  readonly email?: string | null;
  readonly phone?: string | null;
  readonly emailStatus?: EmailStatus;
}

/** The row after the change. An email status waits in the row where there is no email, and leaves it when one comes. */
export function withAddresses(row: UserRow, change: AddressChange): UserRow {
  const { heldEmailStatus, ...rest } = row;
  const email = change.email === undefined ? row.email : change.email;
  const phone = change.phone === undefined ? row.phone : change.phone;
  const held = email === null ? change.emailStatus ?? heldEmailStatus : undefined;
  if (email === row.email && phone === row.phone && held === heldEmailStatus) return row;
  return { ...rest, email, phone, ...(held !== undefined && { heldEmailStatus: held }) };
}

export const neverShared: Recency = [0, 0];
export const untouched: Recency = [0, 1];
const untouchedLater: Recency = [0, 2];

/**
 * The list with a new member at the place its recency asks for; with a second member recency begins. A member without
 * recency comes back to an address that it held before any other user: it is the oldest.
 */
export function inserted(list: readonly Sharer[], member: Sharer): readonly Sharer[] {
  if (list.length === 0) return [member];
  const isOldest = isNeverShared(member.updated);
  const updated = isOldest ? untouched : member.updated;
  const others = list.slice();
  const [first] = others;
  if (first !== undefined && isNeverShared(first.updated)) others[0] = { ...first, updated: isOldest ? untouchedLater : untouched };
  let place = others.length;
  while (place > 0 && isLater(others[place - 1]?.updated ?? neverShared, updated)) place -= 1;
  others.splice(place, 0, { ...member, updated });
  return others;
}

export function left(list: readonly Sharer[], id: UserId): readonly Sharer[] {
  const place = placeOf(list, id);
  return place < 0 ? list : list.toSpliced(place, 1);
}

/** The list with the member as its latest. */
export function touched(list: readonly Sharer[], id: UserId, at: Recency): readonly Sharer[] {
  const place = placeOf(list, id);
  const member = list[place];
  if (member === undefined) return list;
  const rest = list.toSpliced(place, 1);
  rest.push({ ...member, updated: at });
  return rest;
}

export function recencyIn(list: readonly Sharer[], id: UserId): Recency | null {
  return list[placeOf(list, id)]?.updated ?? null;
}

/** From the end, where the users that are written to most stand. */
function placeOf(list: readonly Sharer[], id: UserId): number {
  let place = list.length - 1;
  while (place >= 0 && list[place]?.id !== id) place -= 1;
  return place;
}

export function isNeverShared(updated: Recency): boolean {
  return updated[0] === 0 && updated[1] === 0;
}

function isLater(a: Recency, b: Recency): boolean {
  return a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);
}
