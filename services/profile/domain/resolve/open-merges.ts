/** Users whose merges can still be undone: which side was addressed, and how each side would look without the merge. */
import type { Identities } from "../identity/identities.ts";
import type { MergeRow, Recency, UserRow } from "../identity/identity.ts";
import type { MergeSide } from "../profile/profile-record.ts";
import type { UserKey } from "../record/user-key.ts";
import { addressesOf, type AddressKey, holdsName, ownNames } from "../identity/user-names.ts";
import { type Effects, type ForgottenMerge, putUser, takeMark } from "./effects.ts";

/** What closing a merge reads and writes. */
type Closing = Pick<Effects, "view" | "now" | "forgotten">;

/**
 * What the next touch of the merge's target would do where the window is over, for targets that are not touched again.
 * Gives the merges whose frozen copies are to be erased. Throws NeedRows as every reader of the view does.
 */
export function closeOverMerge(view: Identities, mergeId: string, now: number): readonly ForgottenMerge[] {
  const closing: Closing = { view, now, forgotten: [] };
  const targetId = view.merge(mergeId)?.target.id;
  // A target that was merged away itself: its merges go with that merge
  const target = targetId === undefined ? undefined : view.user(targetId);
  if (target !== undefined) withoutOverMerges(closing, target);
  return closing.forgotten;
}

/** The row without merges whose window is over, and without all before those: the newest is undone first. */
export function withoutOverMerges(effects: Closing, row: UserRow): UserRow {
  let over = row.merges.length;
  while (over > 0 && !isOver(effects, row.merges[over - 1] ?? "")) over -= 1;
  if (over === 0) return row;
  const after = { ...row, merges: row.merges.slice(over) };
  closeMerges(effects, row.merges.slice(0, over));
  putUser(effects, after);
  return after;
}

function isOver(effects: Closing, mergeId: string): boolean {
  const merge = effects.view.merge(mergeId);
  return merge === undefined || effects.now > merge.undoUntil;
}

/** The merges can never be undone: their rows, the names kept for them and their frozen copies go. */
export function closeMerges(effects: Closing, mergeIds: readonly string[]): void {
  for (const mergeId of mergeIds) {
    const merge = effects.view.merge(mergeId);
    if (merge === undefined) continue;
    effects.view.put(`m:${mergeId}`, undefined);
    effects.forgotten.push({ mergeId, targetId: merge.target.id });
    const names = ownNames(merge.source);
    effects.view.need(names);
    for (const name of names) {
      if (effects.view.holderOf(name) === merge.source.id) effects.view.put(name, undefined);
    }
    closeMerges(effects, merge.source.merges);
    dropEmpty(effects, [merge.source, merge.target].flatMap(addressesOf));
  }
}

/** Forgets address rows that stayed for a side of an open merge, where no merge of the user needs them any more. */
export function dropEmpty(effects: Closing, addresses: readonly AddressKey[], row?: UserRow): void {
  const needed = row === undefined ? [] : sideAddresses(effects.view, row);
  effects.view.need(addresses);
  for (const address of addresses) {
    const isEmpty = effects.view.sharers(address).length === 0 && effects.view.peek(address) !== null;
    if (isEmpty && !needed.includes(address)) effects.view.put(address, undefined);
  }
}

/** The addresses that an undo may bring a user back to. */
export function sideAddresses(view: Identities, row: UserRow): AddressKey[] {
  return row.merges.flatMap((mergeId) => {
    const merge = view.merge(mergeId);
    if (merge === undefined) return [];
    return [...addressesOf(merge.source), ...addressesOf(merge.target), ...sideAddresses(view, merge.source)];
  });
}

/** The user's open merges cannot be undone any more, for this reason. */
export function blockMerges(effects: Effects, row: UserRow, reason: string): void {
  for (const mergeId of row.merges) {
    const merge = effects.view.merge(mergeId);
    if (merge !== undefined) effects.view.put(`m:${mergeId}`, { ...merge, blocked: reason });
  }
}

/** The side that a name addresses: a name that the target has only from the source means the source. */
export function sideOf(view: Identities, row: UserRow, key: UserKey): MergeSide | undefined {
  const [mergeId, ...inner] = sidesOf(view, row, key);
  if (mergeId === undefined) return undefined;
  return inner.length === 0 ? { mergeId } : { mergeId, inner };
}

/**
 * The sides that hold an address, the one that it means alone last; an empty one is the user as it would be without any
 * of its merges. Users who share an address are all meant by it, and so are sides that would share it.
 */
export function sidesHolding(view: Identities, row: UserRow, key: UserKey): (readonly string[])[] {
  const sides: (readonly string[])[] = [];
  for (const mergeId of row.merges.toReversed()) {
    const merge = view.merge(mergeId);
    if (merge === undefined || !holdsName(merge.source, key)) continue;
    for (const inner of sidesHolding(view, merge.source, key)) sides.push([mergeId, ...inner]);
    if (!holdsName(merge.target, key)) return sides;
  }
  return [...sides, []];
}

/** The sides that would share the email of the addressed one if the user's open merges were taken back. */
export function sidesSharing(view: Identities, row: UserRow, [addressed, ...inner]: readonly string[] = []): (readonly string[])[] {
  const sides: (readonly string[])[] = [];
  for (const mergeId of row.merges.toReversed()) {
    const merge = view.merge(mergeId);
    if (merge === undefined) continue;
    const { source, target } = merge;
    const key = source.email === null || source.email !== target.email ? undefined : { by: "email" as const, address: source.email };
    if (mergeId === addressed) {
      for (const side of sidesSharing(view, source, inner)) sides.push([mergeId, ...side]);
      return key === undefined ? sides : [...sides, ...sidesHolding(view, target, key)];
    }
    if (key === undefined) continue;
    for (const side of sidesHolding(view, source, key)) sides.push([mergeId, ...side]);
  }
  return sides;
}

/** The side as records of other services carry it. */
export function sideListOf(side: MergeSide | undefined): { readonly side?: readonly string[] } {
  return side === undefined ? {} : { side: [side.mergeId, ...(side.inner ?? [])] };
}

function sidesOf(view: Identities, row: UserRow, key: UserKey): string[] {
  for (const mergeId of row.merges.toReversed()) {
    const merge = view.merge(mergeId);
    if (merge !== undefined && isFromSource(merge, key)) return [mergeId, ...sidesOf(view, merge.source, key)];
  }
  return [];
}

function isFromSource(merge: MergeRow, key: UserKey): boolean {
  return holdsName(merge.source, key) && !holdsName(merge.target, key);
}

/** A change of the user under one of its names, as it would have been to either side of each open merge. */
export interface Touch {
  readonly key: UserKey;
  readonly apply: (row: UserRow) => UserRow;
}

/** Carries a change of a live user to the sides of its open merges. */
export function followTouch(effects: Effects, row: UserRow, touch: Touch): void {
  if (row.merges.length > 0) follow(effects, row.merges, { ...touch, at: takeMark(effects) });
}

function follow(effects: Effects, mergeIds: readonly string[], touch: Touch & { readonly at: Recency }): void {
  for (const mergeId of mergeIds.toReversed()) {
    const merge = effects.view.merge(mergeId);
    if (merge === undefined) continue;
    const fromSource = isFromSource(merge, touch.key);
    const source = fromSource ? touch.apply(merge.source) : merge.source;
    const target = fromSource ? merge.target : touch.apply(merge.target);
    putFollowed(effects, merge, { source, target, at: touch.at, fromSource });
    if (!fromSource) continue;
    // Older merges of this user have no part in what was sent to the source; those of the source have.
    follow(effects, merge.source.merges, touch);
    return;
  }
}

function putFollowed(
  effects: Effects,
  merge: MergeRow,
  next: { source: UserRow; target: UserRow; at: Recency; fromSource: boolean },
): void {
  const { source, target, at, fromSource } = next;
  const shares = addressesOf(source).length + addressesOf(target).length > 0;
  if (!shares && source === merge.source && target === merge.target) return;
  effects.view.put(`m:${merge.mergeId}`, {
    ...merge,
    source,
    target,
    sourceRecency: fromSource ? { ...merge.sourceRecency, since: at } : merge.sourceRecency,
    targetRecency: fromSource ? merge.targetRecency : { ...merge.targetRecency, since: at },
  });
}
