/** Objects of /users/track: who is meant, who begins to exist, and what reaches whom. */
import { findUser } from "../identity/choose-user.ts";
import type { UserRow } from "../identity/identity.ts";
import type { ProfileChange } from "../profile/profile-record.ts";
import type { AttributeObject, EventObject, PurchaseObject, TrackObject } from "../record/track-object.ts";
import type { UserKey } from "../record/user-key.ts";
import { type AddressChange, addressesOf, externalIdKey, namedUser, nameless, ownNames, withAddresses } from "../identity/user-names.ts";
import { changeAddresses, changeSideAddresses, moveAddresses, sendMemberships, type SidedUser, touchUser } from "./addresses.ts";
import { devicesIn, heardNow, takeDevices, withDevices } from "./devices.ts";
import { type Effects, makeUserId, putUser, send } from "./effects.ts";
import { takePending } from "./pending.ts";
import { dropEmpty, followTouch, sideAddresses, sideOf, withoutOverMerges } from "./open-merges.ts";

export function resolveTrack(effects: Effects, objects: readonly TrackObject[]): void {
  for (const object of objects) {
    const row = findUser(effects.view, object.user);
    if (row === undefined) {
      createFor(effects, object);
      continue;
    }
    effects.objects += 1;
    if (row.merges.length === 0) sendObject(effects, row, object);
    else sendMerged(effects, withoutOverMerges(effects, row), object);
  }
}

/** A new user under the object's name; a platform id is never chosen by a client, so it creates no user. */
function createFor(effects: Effects, object: TrackObject): void {
  if (object.updateOnly || object.user.by === "platformId") return;
  effects.objects += 1;
  const change = addressChangeOf(object);
  const named = createUser(effects, object.user, change ?? {});
  takeDevices(effects, named.id, heardNow(effects, devicesIn(object)));
  sendData(effects, named, object);
}

/** Creates a user under a name that no user holds, and sends that to its profile. */
export function createUser(effects: Effects, key: UserKey, change: AddressChange): UserRow {
  const named = namedUser(makeUserId(effects), key);
  for (const name of ownNames(named)) effects.view.put(name, named.id);
  const row = withAddresses(named, change);
  putUser(effects, row);
  moveAddresses(effects, nameless(row.id), row);
  send(effects, row, { type: "create" });
  const { externalId, aliases, email, phone } = row;
  send(effects, row, { type: "identity", externalId, aliases, email, phone });
  if (row.externalId !== null) takePending(effects, row, [externalIdKey(row.externalId)]);
  if (change.emailStatus !== undefined) changeAddresses(effects, row, { emailStatus: change.emailStatus });
  return row;
}

function sendObject(effects: Effects, row: UserRow, object: TrackObject): void {
  const change = addressChangeOf(object);
  const after = change === undefined ? row : changeAddresses(effects, row, change);
  takeDevices(effects, row.id, heardNow(effects, devicesIn(object)));
  if (after !== row) sendAddresses(effects, row, { after });
  sendData(effects, after, object);
  touchUser(effects, after);
}

/** The same for a user whose merges can still be undone: what was sent to a source is marked as such. */
function sendMerged(effects: Effects, row: UserRow, object: TrackObject): void {
  const side = sideOf(effects.view, row, object.user);
  const addresses = [...addressesOf(row), ...sideAddresses(effects.view, row)];
  const change = addressChangeOf(object);
  const after = change === undefined ? row : changeAddresses(effects, row, { ...change, side });
  const heard = heardNow(effects, devicesIn(object));
  takeDevices(effects, row.id, heard);
  if (after !== row) sendAddresses(effects, row, { after, side });
  sendChange(effects, { ...after, side }, object);
  touchUser(effects, after);
  followTouch(effects, after, {
    key: object.user,
    apply: (side) => withDevices(change === undefined ? side : changeSideAddresses(effects, side, { live: after, change }), heard),
  });
  // By the emails that the sides have now
  sendGroups(effects, { ...after, side }, object);
  if (change !== undefined) dropEmpty(effects, addresses, after);
}

function sendAddresses(effects: Effects, before: UserRow, next: { after: UserRow; side?: SidedUser["side"] }): void {
  const { email, phone } = next.after;
  const emailChanged = email !== before.email;
  const phoneChanged = phone !== before.phone;
  if (!emailChanged && !phoneChanged) return;
  send(effects, { id: before.id, externalId: before.externalId, side: next.side }, {
    type: "identity",
    ...(emailChanged && { email }),
    ...(phoneChanged && { phone }),
  });
}

/** What the object changes besides names: profile data and memberships. */
function sendData(effects: Effects, row: SidedUser, object: TrackObject): void {
  sendChange(effects, row, object);
  sendGroups(effects, row, object);
}

function sendChange(effects: Effects, row: SidedUser, object: TrackObject): void {
  const change = changeOf(object, effects.at);
  if (change !== undefined) send(effects, row, change);
}

function sendGroups(effects: Effects, row: SidedUser, object: TrackObject): void {
  if (object.kind === "attribute") sendMemberships(effects, row, object.consent?.subscriptionGroups);
}

function addressChangeOf(object: TrackObject): AddressChange | undefined {
  if (object.kind !== "attribute") return undefined;
  const { email, phone } = object;
  const emailStatus = object.consent?.emailSubscribe;
  if (email === undefined && phone === undefined && emailStatus === undefined) return undefined;
  return {
    ...(email !== undefined && { email }),
    ...(phone !== undefined && { phone }),
    ...(emailStatus !== undefined && { emailStatus }),
  };
}

function changeOf(object: TrackObject, at: number): ProfileChange | undefined {
  switch (object.kind) {
    case "attribute":
      return attributesOf(object);
    case "event":
      return eventOf(object, at);
    case "purchase":
      return purchaseOf(object, at);
  }
}

function attributesOf({ fields, custom }: AttributeObject): ProfileChange | undefined {
  if (fields === undefined && custom === undefined) return undefined;
  return { type: "attributes", ...(fields && { fields }), ...(custom && { custom }) };
}

function eventOf(object: EventObject, at: number): ProfileChange {
  const { name, appId, properties } = object;
  const time = Math.min(object.time, at);
  if (appId === undefined && properties === undefined) return { type: "event", name, time };
  return { type: "event", name, time, ...(appId !== undefined && { appId }), ...(properties && { properties }) };
}

function purchaseOf(object: PurchaseObject, at: number): ProfileChange {
  const { productId, currency, revenueCents, quantity, appId, properties } = object;
  const time = Math.min(object.time, at);
  const purchase = { type: "purchase", productId, currency, revenueCents, quantity, time } as const;
  if (appId === undefined && properties === undefined) return purchase;
  return { ...purchase, ...(appId !== undefined && { appId }), ...(properties && { properties }) };
}
