/** What a change of a user's names and addresses does to the rows of the others who share them, and to consent. */
import { type Identities, NeedRows } from "../identity/identities.ts";
import type { IdentityKey, UserRow } from "../identity/identity.ts";
import type { MergeSide } from "../profile/profile-record.ts";
import type { ConsentChange } from "../record/track-object.ts";
import type { UserId } from "../record/user-key.ts";
import type { AddressChange, AddressKey, AddressUserKey } from "../identity/user-names.ts";
import {
  addressesOf,
  addressOf,
  emailKey,
  inserted,
  isNeverShared,
  left,
  neverShared,
  phoneKey,
  touched,
  userRowKey,
  withAddresses,
} from "../identity/user-names.ts";
import { changeConsent, changeMembership, type Effects, type Members, putUser, takeMark } from "./effects.ts";
import { takePending } from "./pending.ts";
import { sideListOf, sidesHolding, sidesSharing } from "./open-merges.ts";

/** Applies a change of addresses to a live user, or to a side of it: address rows, the user's row, and the email status that follows. */
export function changeAddresses(effects: Effects, row: UserRow, { side, ...change }: SidedChange): UserRow {
  const after = withAddresses(row, change);
  if (after !== row) putUser(effects, after);
  if (after.email !== row.email || after.phone !== row.phone) moveAddresses(effects, row, { ...after, side });
  sendEmailStatus(effects, row, { after, change });
  return after;
}

/** The same for a side of an open merge, whose email may be another one than `live` has, and with which a status may wait. */
export function changeSideAddresses(effects: Effects, side: UserRow, { live, change }: { live: UserRow; change: AddressChange }): UserRow {
  const after = withAddresses(side, change);
  // The live user's change has sent it to the live user's email
  if (change.emailStatus === undefined || after.email !== live.email) sendEmailStatus(effects, side, { after, change });
  return after;
}

/** Leaves the addresses that `after` lacks and joins those that `before` lacks. */
export function moveAddresses(effects: Effects, before: UserRow, after: SidedUser): void {
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
 * a side of the merge back to the address, and until then the recency of the user who holds it must be known.
 */
export function leaveAddress(effects: Effects, address: AddressKey, row: Pick<UserRow, "id" | "merges">): void {
  const sharers = left(effects.view.sharers(address), row.id);
  effects.view.put(address, sharers.length === 0 && row.merges.length === 0 ? undefined : sharers);
}

/** Recency begins when a second user joins. */
function joinAddress(effects: Effects, address: AddressKey, row: SidedUser): void {
  const sharers = effects.view.sharers(address);
  const updated = effects.view.peek(address) === null ? neverShared : takeMark(effects);
  effects.view.put(address, inserted(sharers, { id: row.id, identified: row.externalId !== null, updated }));
  takePending(effects, row, [address]);
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
  const address = next.after.email;
  if (address === null) return;
  const { emailStatus } = next.change;
  if (emailStatus !== undefined) changeConsent(effects, { type: "emailStatus", address, status: emailStatus });
  else if (before.heldEmailStatus !== undefined) {
    changeConsent(effects, { type: "emailStatus", address, status: before.heldEmailStatus, carried: true });
  }
}

/** A user with the side of its open merges that was addressed. */
export type SidedUser = UserRow & Sided;
type SidedChange = AddressChange & Sided;
interface Sided {
  readonly side?: MergeSide | undefined;
}

/** Memberships go to the user and to all who share its email (spec, track rule 3), the user first. Without an open merge its other side would be one of them. */
export function sendMemberships(
  effects: Effects,
  row: SidedUser,
  groups: ConsentChange["subscriptionGroups"],
): void {
  if (groups === undefined) return;
  const others = row.email === null ? [] : sharersOf(effects, { by: "email", address: row.email }, row.id);
  const sides = sidesSharing(effects.view, row, sideListOf(row.side).side);
  const own = sides.map((side) => ({ userIds: [row.id], ...(side.length > 0 && { side }) }));
  const members = [{ userIds: [row.id], ...sideListOf(row.side) }, ...own, ...others];
  for (const { id: groupId, state } of groups) {
    for (const some of members) changeMembership(effects, some, { groupId, state });
  }
}

/** All others who hold the address, each with the side of its open merges that the address means. */
function sharersOf({ view }: Effects, key: AddressUserKey, except: UserId): Members[] {
  const unknown: IdentityKey[] = [];
  const members = membersWithAddress(view, key, unknown);
  if (unknown.length > 0) throw new NeedRows(unknown);
  return members.map(({ userIds, ...side }) => ({ userIds: userIds.filter((id) => id !== except), ...side }));
}

/**
 * All who hold the address, in the order of its row; `unknown` gets the rows that have to be loaded first. There may be
 * ten thousand: no key is made for each, and no row is looked for twice.
 */
export function membersWithAddress(view: Identities, key: AddressUserKey, unknown: IdentityKey[]): Members[] {
  const members: Members[] = [];
  const others: Members[] = [];
  let run: UserId[] = [];
  for (const { id } of view.sharers(addressOf(key))) {
    const row = knownUser(view, id, unknown);
    const sides = row === undefined || row.merges.length === 0 ? [] : sidesHolding(view, row, key);
    const side = sides.at(-1) ?? [];
    for (const other of sides.slice(0, -1)) others.push({ userIds: [id], side: other });
    if (side.length === 0) {
      run.push(id);
    } else {
      members.push({ userIds: run }, { userIds: [id], side });
      run = [];
    }
  }
  members.push({ userIds: run }, ...others);
  return members.filter(({ userIds }) => userIds.length > 0);
}

/** Undefined where the row is not there, and where it is not known: then `unknown` gets its key. */
export function knownUser(view: Identities, id: UserId, unknown: IdentityKey[]): UserRow | undefined {
  const row = view.peekUser(id);
  if (row === undefined) unknown.push(userRowKey(id));
  return row ?? undefined;
}
