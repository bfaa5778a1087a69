/** Who has a name now: reads of identity rows by readers other than the resolver. */
import { latestOf } from "../identity/choose-user.ts";
import type { IdentityKey, Sharer, UserRow } from "../identity/identity.ts";
import type { IdentityStore } from "../ports.ts";
import type { UserId, UserKey } from "../record/user-key.ts";
import { deviceKey, firstKey, isAddressKey, takerKey, userRowKey } from "../identity/user-names.ts";

/** A name by which users are read alone: nothing is sent to a device. */
export type ReadKey = UserKey | { readonly by: "device"; readonly id: string };

/**
 * The users that each key names, in the order of the keys; a key of no user has an empty list. An address names all who share it,
 * the user that data for the address goes to first. Two reads of the store at most, whatever the keys.
 */
export async function findUsers(identities: IdentityStore, workspaceId: string, keys: readonly ReadKey[]): Promise<UserRow[][]> {
  const asked = new Set(keys.flatMap(firstKeys));
  const named = await identities.load(workspaceId, [...asked]);
  const found = keys.map((key) => idsOf(key, named));
  // A name may still point to a user that was merged away: only a user row shows that the user lives
  const left: IdentityKey[] = [...new Set(found.flat().map(userRowKey))].filter((key) => !asked.has(key));
  const rows = left.length === 0 ? named : new Map([...named, ...await identities.load(workspaceId, left)]);
  return found.map((ids) => ids.flatMap((id) => (rows.get(userRowKey(id)) as UserRow | undefined) ?? []));
}

/** The rows that a look-up begins with: of an id of ours also who took its user in. */
function firstKeys(key: ReadKey): IdentityKey[] {
  if (key.by === "device") return [deviceKey(key.id)];
  return key.by === "platformId" ? [firstKey(key), takerKey(key.id)] : [firstKey(key)];
}

function idsOf(key: ReadKey, rows: ReadonlyMap<IdentityKey, unknown>): readonly UserId[] {
  if (key.by === "platformId" && rows.has(userRowKey(key.id))) return [key.id];
  return firstKeys(key).flatMap((first) => holdersOf(first, rows.get(first)));
}

/** Of the row of a name, a device or an address; a name may still point to a user that was merged away. */
export function holdersOf(key: IdentityKey, row: unknown): readonly UserId[] {
  if (row === undefined) return [];
  return isAddressKey(key) ? preferredFirst(row as readonly Sharer[]) : [row as UserId];
}

function preferredFirst(sharers: readonly Sharer[]): UserId[] {
  const preferred = latestOf(sharers)?.id;
  const ids = sharers.map((sharer) => sharer.id);
  return preferred === undefined ? ids : [preferred, ...ids.filter((id) => id !== preferred)];
}
