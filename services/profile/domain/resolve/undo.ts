/** A merge taken back: both sides get the names and addresses they would have had without it. */
import type { ItemOutcome, JobOutcome, JobRow, MergeRow, Recency, SideRecency, UserRow } from "../identity/identity.ts";
import {
  addressesOf,
  type AddressKey,
  addressOf,
  type AddressUserKey,
  aliasKey,
  emailKey,
  externalIdKey,
  holdsAlias,
  inserted,
} from "../identity/user-names.ts";
import { isNeverShared, neverShared, ownNames, phoneKey, takerKey, untouched } from "../identity/user-names.ts";
import { leaveAddress } from "./addresses.ts";
import { giveDevicesBack } from "./devices.ts";
import { changeConsent, type Effects, putUser, send, takeMark } from "./effects.ts";
import type { JobItem } from "./merge.ts";
import { takePending } from "./pending.ts";
import { dropEmpty, sideAddresses, sideOf } from "./open-merges.ts";

/** POST /users/merge/undo. A refusal is reported in the job's row, and may be tried again when its reason is gone. */
export function resolveUndo(effects: Effects, item: JobItem): void {
  const kept = effects.view.job(item.jobId);
  // When it is erased, and whether it is still in memory, must make no difference
  const job = kept !== undefined && effects.now < kept.expiresAt ? kept : undefined;
  const outcome = job?.outcomes[item.index];
  if (job === undefined || outcome === undefined) {
    effects.items = [failed(item, "The merge does not exist")];
  } else if (outcome.mergeId === null || outcome.status === "undone") {
    effects.items = [failed(item, outcome.status === "undone" ? "The merge was taken back before" : "There was no merge")];
  } else {
    effects.items = [undo(effects, { ...item, job, outcome, mergeId: outcome.mergeId })];
  }
}

interface Asked extends JobItem {
  readonly job: JobRow;
  readonly outcome: JobOutcome;
  readonly mergeId: string;
}

function undo(effects: Effects, asked: Asked): ItemOutcome {
  // The copies may be gone by a clock that `now` does not believe yet; a refusal ends nothing
  const found = effects.at > asked.outcome.undoUntil
    ? { reason: "The time in which the merge could be undone is over" }
    : findUndoable(effects, asked.mergeId);
  if (found.reason !== undefined) {
    putOutcome(effects, asked, { ...asked.outcome, status: "undo_refused", reason: found.reason });
    return failed(asked, found.reason);
  }
  effects.view.need([found.target, found.merge.source, found.merge.target].flatMap(addressesOf));
  separate(effects, found.merge, found.target);
  putOutcome(effects, asked, { ...asked.outcome, status: "undone", reason: "", undoUntil: 0 });
  return { index: asked.index, ok: true, reason: "" };
}

function failed(item: JobItem, reason: string): ItemOutcome {
  return { index: item.index, ok: false, reason };
}

function putOutcome(effects: Effects, { job, jobId, index }: Asked, outcome: JobOutcome): void {
  effects.view.put(`j:${jobId}`, { ...job, outcomes: job.outcomes.with(index, outcome) });
}

type Undoable =
  | { readonly merge: MergeRow; readonly target: UserRow; readonly reason?: undefined }
  | { readonly reason: string };

function findUndoable(effects: Effects, mergeId: string): Undoable {
  const merge = effects.view.merge(mergeId);
  if (merge === undefined) return { reason: "A later delete or merge touches one of the users" };
  const target = effects.view.user(merge.target.id);
  if (target === undefined) return { reason: "The target was merged into another user since: take that back first" };
  if (target.merges.at(-1) !== mergeId) {
    return { reason: "Another user was merged into the target since: take that back first" };
  }
  if (merge.blocked !== undefined) return { reason: merge.blocked };
  if (!namesAreFree(effects, merge)) return { reason: "An identifier of the source was given to another user since" };
  return { merge, target };
}

/** Names that stayed must still point to the source, aliases that moved to the target must be there from the source. */
function namesAreFree(effects: Effects, { source, target }: MergeRow): boolean {
  const { view } = effects;
  view.need(ownNames(source));
  const ids = source.externalId === null ? source.deprecatedIds : [source.externalId, ...source.deprecatedIds];
  return ids.every((id) => view.holderOf(externalIdKey(id)) === source.id) && source.aliases.every((alias) => {
    const holder = view.holderOf(aliasKey(alias.label, alias.name));
    return holder === source.id || (holder === target.id && !holdsAlias(target, alias));
  });
}

/** Each side has the names and addresses that it had before the merge; lanes undo what it did to users. */
function separate(effects: Effects, merge: MergeRow, live: UserRow): void {
  const { mergeId, source } = merge;
  const target = { ...merge.target, merges: live.merges.slice(0, -1) };
  const addresses = [...addressesOf(live), ...sideAddresses(effects.view, live)];
  for (const name of ownNames(source)) effects.view.put(name, source.id);
  for (const address of addressesOf(live)) leaveAddress(effects, address, live);
  for (const address of new Set([source, target].flatMap(addressesOf))) trackHolder(effects, address);
  // Without recency the undo of an earlier merge would take a side for a user who came later
  const wasSentTo = (merge.sourceRecency.since ?? merge.targetRecency.since) !== null;
  const least = wasSentTo && source.merges.length + target.merges.length > 0 ? untouched : neverShared;
  restoreAddresses(effects, source, { ...merge.sourceRecency, least });
  restoreAddresses(effects, target, { ...merge.targetRecency, least });
  giveDevicesBack(effects, live, { source, target });
  putUser(effects, source);
  putUser(effects, target);
  effects.view.put(takerKey(source.id), undefined);
  for (const row of [source, target]) for (const id of row.tookIn ?? []) effects.view.put(takerKey(id), row.id);
  effects.view.put(`m:${mergeId}`, undefined);
  const neededBySource = sideAddresses(effects.view, source);
  dropEmpty(effects, addresses.filter((address) => !neededBySource.includes(address)), target);
  const named = source.externalId === null ? {} : { sourceExternalId: source.externalId };
  send(effects, target, { type: "undo", mergeId, sourceId: source.id, ...named });
  for (const row of [target, source]) {
    const { externalId, aliases, email, phone } = row;
    send(effects, { id: row.id, externalId }, { type: "identity", externalId, aliases, email, phone });
  }
  changeConsent(effects, { type: "mergeUndone", userId: target.id, mergeId, sourceId: source.id });
  // No user had these names between the merge and now
  for (const row of [target, source]) takeAllPending(effects, row);
}

/** An address that a side of an older merge brought belongs to that side. */
function takeAllPending(effects: Effects, row: UserRow): void {
  takePending(effects, row, ownNames(row));
  const { id, email, phone } = row;
  const keys: AddressUserKey[] = [];
  if (email !== null) keys.push({ by: "email", address: email });
  if (phone !== null) keys.push({ by: "phone", number: phone });
  for (const key of keys) takePending(effects, { id, side: sideOf(effects.view, row, key) }, [addressOf(key)]);
}

/**
 * A user who holds an address alone without recency came after both sides had left it, for recency begins where two meet:
 * it is later than what was sent to either side.
 */
function trackHolder(effects: Effects, address: AddressKey): void {
  const [holder, other] = effects.view.sharers(address);
  if (holder === undefined || other !== undefined || !isNeverShared(holder.updated)) return;
  effects.view.put(address, [{ ...holder, updated: takeMark(effects) }]);
}

function restoreAddresses(effects: Effects, row: UserRow, recency: SideRecency & { readonly least: Recency }): void {
  if (row.email !== null) restore(emailKey(row.email), recency.email);
  if (row.phone !== null) restore(phoneKey(row.phone), recency.phone);

  function restore(address: AddressKey, before: SideRecency["email"]): void {
    const known = recency.since ?? before ?? neverShared;
    const updated = isNeverShared(known) ? recency.least : known;
    const member = { id: row.id, identified: row.externalId !== null, updated };
    effects.view.put(address, inserted(effects.view.sharers(address), member));
  }
}
