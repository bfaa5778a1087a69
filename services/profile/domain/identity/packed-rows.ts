/**
 * Identity rows as a cache keeps them: those of most users as one text each, so that the garbage collector has nothing to follow. They come back as equal
 * rows, new ones with each read.
 */
import { noItems } from "../../../../platform/own-entries.ts";
import type { IdentityKey, Sharer, UserRow } from "./identity.ts";
import type { Packing } from "./row-generations.ts";
import type { UserId } from "../record/user-key.ts";
import { isAddressKey, isNeverShared, neverShared } from "./user-names.ts";

/** Rows of users, by id. */
export const packedUsers: Packing<UserId> = {
  pack: (_, row) => packUser(row as UserRow),
  unpack: (id, packed) => unpackUser(id, packed as UserRow | string),
};

/** All other rows: those of addresses have a form of their own. */
export const packedOthers: Packing<IdentityKey> = {
  pack: (key, row) => (isAddressKey(key) ? packSharers(row as readonly Sharer[]) : row),
  unpack: (key, packed) => (isAddressKey(key) ? unpackSharers(packed as readonly Sharer[] | UserId) : packed),
};

/** The names of a user who has no more than an external id, an email and a phone number; any other row as a compact one. */
export function packUser(row: UserRow): UserRow | string {
  const { externalId, email, phone } = row;
  if (!hasNamesAlone(row) || !canBeLine(externalId) || !canBeLine(email) || !canBeLine(phone)) return compactRow(row);
  // Joined, as a text that is put together by `+` stays in pieces
  return [externalId ?? "", email ?? "", phone ?? ""].join("\n");
}

export function unpackUser(id: UserId, packed: UserRow | string): UserRow {
  if (typeof packed !== "string") return packed;
  const [externalId = "", email = "", phone = ""] = packed.split("\n");
  return {
    id,
    externalId: externalId === "" ? null : externalId,
    deprecatedIds: noItems,
    aliases: noItems,
    email: email === "" ? null : email,
    phone: phone === "" ? null : phone,
    merges: noItems,
  };
}

/** The id of the one user of an address that was never shared; any other list as it is. */
export function packSharers(sharers: readonly Sharer[]): readonly Sharer[] | UserId {
  const [only] = sharers;
  if (only === undefined || sharers.length > 1 || !only.identified || !isNeverShared(only.updated)) return sharers;
  return Object.keys(only).length === fieldsOfSharer ? only.id : sharers;
}

export function unpackSharers(packed: readonly Sharer[] | UserId): readonly Sharer[] {
  return typeof packed === "string" ? [{ id: packed, identified: true, updated: neverShared }] : packed;
}

function hasNamesAlone(row: UserRow): boolean {
  return row.deprecatedIds.length + row.aliases.length + row.merges.length === 0 && Object.keys(row).length === fieldsOfUser;
}

/** More than these are what few have, or of a later build. */
const fieldsOfUser = 7;
const fieldsOfSharer = 3;

function canBeLine(name: string | null): boolean {
  return name === null || (name !== "" && !name.includes("\n"));
}

/**
 * An equal row as an object that is smaller: its empty lists are the shared one, as most users have no former ids, aliases or merges, and its fields lie
 * in the object, which those beyond the fourth do not where it was parsed or is the rest of another.
 */
function compactRow(row: UserRow): UserRow {
  const { id, externalId, deprecatedIds, aliases, email, phone, merges, ...rest } = row;
  const compact = {
    id,
    externalId,
    deprecatedIds: shared(deprecatedIds),
    aliases: shared(aliases),
    email,
    phone,
    merges: shared(merges),
  };
  return Object.keys(rest).length === 0 ? compact : { ...compact, ...rest };
}

function shared<Item>(list: readonly Item[]): readonly Item[] {
  return list.length === 0 ? noItems : list;
}
