/** Consent that is set directly: who is meant at this place of the log, and what waits for those who are not there yet. */
import type { ConsentBody, MembershipUpdate } from "../record/intake-record.ts";
import type { UserId, UserKey } from "../record/user-key.ts";
import { type Identities, NeedRows } from "../identity/identities.ts";
import type { IdentityKey } from "../identity/identity.ts";
import { type AddressKey, addressOf, type AddressUserKey, externalIdKey, firstKey, type NameKey } from "../identity/user-names.ts";
import { knownUser, membersWithAddress } from "./addresses.ts";
import { changeConsent, changeMembership, type Effects, type Members } from "./effects.ts";
import { sideListOf, sideOf } from "./open-merges.ts";
import { keepPending } from "./pending.ts";

/** The state of an address belongs to the address, so its records need no user. */
export function resolveConsent(effects: Effects, body: ConsentBody): void {
  switch (body.type) {
    case "setMemberships":
      for (const update of body.updates) resolveMemberships(effects, update);
      return;
    case "setEmailStatuses":
      for (const address of body.emails) changeConsent(effects, { type: "emailStatus", address, status: body.status });
      return;
    case "markEmails":
      for (const address of body.emails) changeConsent(effects, { type: "emailMark", address, mark: body.mark });
      return;
    case "markPhones":
      for (const address of body.phones) changeConsent(effects, { type: "phoneMark", address, mark: body.mark });
      return;
    case "changeGroups":
      changeConsent(effects, { type: "groups", change: body.change });
      return;
  }
}

/** By external id the one user, by address all who share it (specification, "States and transitions"), by user id the user, or the one that has taken it in. */
function resolveMemberships(effects: Effects, update: MembershipUpdate): void {
  const { groupId, state } = update;
  const keys = memberKeysOf(update);
  effects.view.need(keys.map(firstKey));
  const unknown: IdentityKey[] = [];
  const named = keys.map((key) => ({ name: nameOf(key), members: membersOf(effects.view, key, unknown) }));
  if (unknown.length > 0) throw new NeedRows(unknown);
  effects.view.need(named.flatMap(({ name, members }) => (members.length === 0 && name !== undefined ? [`w:${name}` as const] : [])));
  for (const { name, members } of named) {
    for (const some of members) changeMembership(effects, some, { groupId, state });
    if (members.length === 0 && name !== undefined) keepPending(effects, name, { groupId, state });
  }
}

/** Whose memberships are set, in order. */
export function memberKeysOf({ externalIds, emails, phones, userIds }: MembershipUpdate): MemberKey[] {
  return [
    ...externalIds.map((id) => ({ by: "externalId" as const, id })),
    ...emails.map((address) => ({ by: "email" as const, address })),
    ...phones.map((number) => ({ by: "phone" as const, number })),
    ...userIds.map((id) => ({ by: "platformId" as const, id })),
  ];
}

/** `unknown` gets the rows that have to be loaded first, so that those of all names are loaded together. */
function membersOf(view: Identities, key: MemberKey, unknown: IdentityKey[]): Members[] {
  if (key.by === "email" || key.by === "phone") return membersWithAddress(view, key, unknown);
  const id = key.by === "externalId" ? view.holderOf(externalIdKey(key.id)) : liveId(view, key.id);
  const row = id === undefined ? undefined : knownUser(view, id, unknown);
  return row === undefined ? [] : [{ userIds: [row.id], ...sideListOf(sideOf(view, row, key)) }];
}

/** The id itself, or that of the user who has taken its user in. */
function liveId(view: Identities, id: UserId): UserId | undefined {
  return view.user(id) === undefined ? view.takerOf(id) : id;
}

/** What a membership can wait for: an id is never given to another user. */
function nameOf(key: MemberKey): NameKey | AddressKey | undefined {
  if (key.by === "platformId") return undefined;
  return key.by === "externalId" ? externalIdKey(key.id) : addressOf(key);
}

type MemberKey = AddressUserKey | Extract<UserKey, { by: "externalId" | "platformId" }>;
