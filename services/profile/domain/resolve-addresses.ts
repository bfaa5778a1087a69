/** What a change of a user's names and addresses does to the rows of the others who share them, and to consent. */
import type { UserRow } from "./identity.ts";
import type { ConsentChange } from "./track-object.ts";
import type { UserId } from "./user-key.ts";
import type { AddressChange, AddressKey } from "./user-names.ts";
import {
  addressesOf,
  emailKey,
  inserted,
  isNeverShared,
  left,
  neverShared,
  phoneKey,
  touched,
  withAddresses,
} from "./user-names.ts";
import { type Effects, putUser, takeMark, tell } from "./resolve-effects.ts";

/** Applies a change of addresses to a live user: address rows, the user's row, and the email status that follows. */
export function changeAddresses(effects: Effects, row: UserRow, change: AddressChange): UserRow {
  const after = withAddresses(row, change);
  if (after !== row) putUser(effects, after);
  if (after.email !== row.email || after.phone !== row.phone) moveAddresses(effects, row, after);
  sendEmailStatus(effects, row, { after, change });
  return after;
}

/** Leaves the addresses that `after` lacks and joins those that `before` lacks. */
export function moveAddresses(effects: Effects, before: UserRow, after: UserRow): void {
  const had = addressesOf(before);
  const has = addressesOf(after);
  for (const address of had) {
    if (!has.includes(address)) leaveAddress(effects, address, before);
  }
  for (const address of has) {
    if (!had.includes(address)) joinAddress(effects, address, after);
  }
}

/**
 * A user with open merges, or one that is merged away, leaves a row that stays even when it is empty: an undo may bring
 * a side of the merge back to the address, and until then the recency of whoever holds it must be known.
 */
export function leaveAddress(effects: Effects, address: AddressKey, row: Pick<UserRow, "id" | "merges">): void {
  const sharers = left(effects.view.sharers(address), row.id);
  effects.view.put(address, sharers.length === 0 && row.merges.length === 0 ? undefined : sharers);
}

/** Recency begins when a second user joins. */
function joinAddress(effects: Effects, address: AddressKey, row: UserRow): void {
  const sharers = effects.view.sharers(address);
  const updated = effects.view.peek(address) === null ? neverShared : takeMark(effects);
  effects.view.put(address, inserted(sharers, { id: row.id, identified: row.externalId !== null, updated }));
}

/** Makes the user the latest of all who share one of its addresses. */
export function touchUser(effects: Effects, row: UserRow): void {
  if (row.email !== null) touchAddress(effects, emailKey(row.email), row.id);
  if (row.phone !== null) touchAddress(effects, phoneKey(row.phone), row.id);
}

function touchAddress(effects: Effects, address: AddressKey, id: UserId): void {
  const sharers = effects.view.sharers(address);
  const [first] = sharers;
  if (first === undefined || isNeverShared(first.updated)) return;
  effects.view.put(address, touched(sharers, id, takeMark(effects)));
}

/** The user has an external id from now on. */
export function markIdentified(effects: Effects, row: UserRow): void {
  for (const address of addressesOf(row)) {
    const sharers = effects.view.sharers(address);
    effects.view.put(address, sharers.map((sharer) => sharer.id === row.id ? { ...sharer, identified: true } : sharer));
  }
}

/**
 * Status belongs to the address, so one record serves all who share it. One that was set while the user had no
 * email is sent when an email comes, unless the change brings its own.
 */
function sendEmailStatus(effects: Effects, before: UserRow, next: { after: UserRow; change: AddressChange }): void {
  const status = next.change.emailStatus ?? before.heldEmailStatus;
  if (status === undefined || next.after.email === null) return;
  tell(effects, { type: "emailStatus", address: next.after.email, status });
}

/** Memberships go to the user and to all who share its email (spec, track rule 3), the user first. */
export function sendMemberships(effects: Effects, row: UserRow, groups: ConsentChange["subscriptionGroups"]): void {
  if (groups === undefined) return;
  const sharers = row.email === null ? [] : effects.view.sharers(emailKey(row.email));
  for (const { id: groupId, state } of groups) {
    tell(effects, { type: "membership", userId: row.id, groupId, state });
    for (const sharer of sharers) {
      if (sharer.id !== row.id) tell(effects, { type: "membership", userId: sharer.id, groupId, state });
    }
  }
}
