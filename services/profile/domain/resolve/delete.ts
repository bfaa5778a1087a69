/** Deletes: a user, all its names, and what is kept of users merged into it. */
import { selectUser } from "../identity/choose-user.ts";
import { namesOf } from "../identity/event-names.ts";
import type { UserRow } from "../identity/identity.ts";
import type { UserSelector } from "../record/user-key.ts";
import { addressesOf, ownNames, takerKey, userRowKey } from "../identity/user-names.ts";
import { leaveAddress } from "./addresses.ts";
import { freeDevices } from "./devices.ts";
import { changeConsent, type Effects, send } from "./effects.ts";
import { closeMerges } from "./open-merges.ts";

/** POST /users/delete. An element that means no user, or more than one, changes nothing. */
export function resolveDeletes(effects: Effects, users: readonly UserSelector[]): void {
  effects.items = users.map((selector, index) => {
    const { user, reason } = selectUser(effects.view, selector);
    if (user === undefined) return { index, ok: false, reason: `The user ${reason}` };
    deleteUser(effects, user);
    return { index, ok: true, reason: "" };
  });
}

function deleteUser(effects: Effects, row: UserRow): void {
  for (const name of ownNames(row)) effects.view.put(name, undefined);
  for (const address of addressesOf(row)) leaveAddress(effects, address, { id: row.id, merges: [] });
  effects.view.put(userRowKey(row.id), undefined);
  for (const id of row.tookIn ?? []) effects.view.put(takerKey(id), undefined);
  freeDevices(effects, row);
  closeMerges(effects, row.merges);
  send(effects, row, { type: "delete", gone: namesOf(row) });
  changeConsent(effects, { type: "userDeleted", userId: row.id });
}
