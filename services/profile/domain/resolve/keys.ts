/** Which identity rows a run of records will read, as far as can be seen before resolving it. */
import type { IntakeBody, IntakeRecord } from "../record/intake-record.ts";
import { latestOf } from "../identity/choose-user.ts";
import type { Identities } from "../identity/identities.ts";
import type { IdentityKey, Sharer, UserRow } from "../identity/identity.ts";
import type { UserId, UserKey } from "../record/user-key.ts";
import { memberKeysOf } from "./consent.ts";
import { devicesIn, isDeviceName } from "./devices.ts";
import {
  addressesOf,
  aliasKey,
  deviceKey,
  emailKey,
  externalIdKey,
  firstKey,
  phoneKey,
  takerKey,
  userRowKey,
} from "../identity/user-names.ts";

/** The rows that a record names itself; those that these lead to follow by `wantedKeys`. */
export function keysOf(record: IntakeRecord): IdentityKey[] {
  const keys: IdentityKey[] = [];
  const { idempotency, body } = record;
  if (idempotency !== undefined) keys.push(`r:${idempotency.keyHash}`);
  if (body.type === "undoMerge") keys.push(`j:${body.jobId}`);
  for (const key of usersOf(body)) keys.push(firstKey(key));
  addOwnKeys(body, keys);
  return keys;
}

/** The rows not yet known that the records read, as far as the known ones lead. */
export function wantedKeys(
  view: Identities,
  records: readonly IntakeRecord[],
  missed: readonly IdentityKey[] = [],
): IdentityKey[] {
  const wanted = new Set(missed);
  for (const record of records) {
    for (const key of keysOf(record)) want(view, key, wanted);
    for (const key of usersOf(record.body)) wantUser(view, key, wanted);
  }
  return [...wanted];
}

/** The row if it is known and there; where it is not known, it is wanted. */
function want(view: Identities, key: IdentityKey, wanted: Set<IdentityKey>): unknown {
  const row = view.peek(key);
  if (row === undefined) wanted.add(key);
  return row ?? undefined;
}

function wantUser(view: Identities, key: UserKey, wanted: Set<IdentityKey>): void {
  const id = idOf(key, want(view, firstKey(key), wanted), { view, wanted });
  if (id === undefined) return;
  const row = want(view, userRowKey(id), wanted) as UserRow | undefined;
  if (row === undefined) return;
  for (const address of addressesOf(row)) want(view, address, wanted);
  for (const mergeId of row.merges) want(view, `m:${mergeId}`, wanted);
}

/** For an address the user that data goes to: a guess where priorities choose another. */
function idOf(
  key: UserKey,
  row: unknown,
  { view, wanted }: { readonly view: Identities; readonly wanted: Set<IdentityKey> },
): UserId | undefined {
  switch (key.by) {
    case "externalId":
    case "alias":
      return row as UserId | undefined;
    case "platformId":
      return row === undefined && view.peekUser(key.id) === null ? want(view, takerKey(key.id), wanted) as UserId | undefined : key.id;
    case "email":
    case "phone":
      return latestOf((row as readonly Sharer[] | undefined) ?? [])?.id;
  }
}

/** Everyone whom a body addresses by name. */
function usersOf(body: IntakeBody): UserKey[] {
  switch (body.type) {
    case "track":
      return body.objects.map((object) => object.user);
    case "createAliases":
      return body.aliases.flatMap(({ externalId, alias }) => [
        { by: "alias" as const, ...alias },
        ...(externalId === undefined ? [] : [{ by: "externalId" as const, id: externalId }]),
      ]);
    case "renameAliases":
      return body.renames.map(({ label, oldName }) => ({ by: "alias", label, name: oldName }));
    case "mergeUsers":
      return body.updates.flatMap(({ source, target }) => [source.key, target.key]);
    case "identifyUsers":
      return body.identifications.flatMap(({ user, externalId }) => [user.key, { by: "externalId" as const, id: externalId }]);
    case "deleteUsers":
      return body.users.map((user) => user.key);
    case "renameExternalIds":
      return body.renames.map(({ current }) => ({ by: "externalId", id: current }));
    case "removeExternalIds":
      return body.externalIds.map((id) => ({ by: "externalId", id }));
    case "reportSession":
    case "reportEngagement":
    case "admitUser":
      return [body.user];
    case "setMemberships":
      return body.updates.flatMap(memberKeysOf);
    default:
      return [];
  }
}

/** Names that a body gives out, and addresses that it attaches. */
function addOwnKeys(body: IntakeBody, keys: IdentityKey[]): void {
  if (body.type === "renameAliases") {
    for (const { label, newName } of body.renames) keys.push(aliasKey(label, newName));
  }
  if (body.type === "renameExternalIds") {
    for (const { next } of body.renames) keys.push(externalIdKey(next));
  }
  const sessionDevice = body.type === "reportSession" ? body.device?.deviceId : undefined;
  if (sessionDevice !== undefined && isDeviceName(sessionDevice)) keys.push(deviceKey(sessionDevice));
  if (body.type !== "track") return;
  for (const object of body.objects) {
    if (object.kind !== "attribute") continue;
    keys.push(...devicesIn(object).map(deviceKey));
    if (typeof object.email === "string") keys.push(emailKey(object.email));
    if (typeof object.phone === "string") keys.push(phoneKey(object.phone));
  }
}
