/** Memberships set for names that no user has: kept, and given to the user who gets the name. */
import { limits } from "../../../../platform/limits.ts";
import type { PendingMembership } from "../identity/identity.ts";
import type { AddressKey, NameKey } from "../identity/user-names.ts";
import { sideListOf } from "./open-merges.ts";
import { type Addressee, changeConsent, type Effects } from "./effects.ts";

/**
 * The latest state of a group counts, and an earlier one where the group was archived when the latest was asked for. That is
 * known where states are applied and not here, so the earlier ones wait too.
 */
export function keepPending(effects: Effects, name: NameKey | AddressKey, set: Pick<PendingMembership, "groupId" | "state">): void {
  const { view } = effects;
  const { requestId, actor, sequence } = effects.record;
  const found = view.pending(name);
  if (found === undefined) view.put("w:count", view.pendingCount() + 1);
  const others = (found?.memberships ?? []).filter((one) => one.groupId !== set.groupId || one.sequence !== sequence);
  const memberships = bounded([...others, { ...set, requestId, actor, sequence }], set.groupId);
  view.put(`w:${name}`, { memberships });
}

/** Without one state of the group where it has too many: its oldest subscribe, else the oldest state but one. */
function bounded(memberships: readonly PendingMembership[], groupId: string): readonly PendingMembership[] {
  const earlier = memberships.filter((one) => one.groupId === groupId).slice(0, -1);
  if (earlier.length < limits.pendingStatesPerGroupMax) return memberships;
  const gone = earlier.find(({ state }) => state === "subscribed") ?? earlier[1];
  return memberships.filter((one) => one !== gone);
}

/** The user, or a side of its open merges, has got the names. Costs nothing where no membership of the workspace waits. */
export function takePending(
  effects: Effects,
  { id: userId, side }: Pick<Addressee, "id" | "side">,
  names: readonly (NameKey | AddressKey)[],
): void {
  const { view } = effects;
  const waiting = view.pendingCount();
  if (waiting === 0) return;
  view.need(names.map((name) => `w:${name}` as const));
  let left = waiting;
  for (const name of names) {
    const found = view.pending(name);
    if (found === undefined) continue;
    for (const [at, { groupId, state, sequence, ...origin }] of found.memberships.entries()) {
      const asked = sequence === undefined ? {} : { askedAt: sequence };
      const later = found.memberships.slice(at + 1).filter((one) => one.groupId === groupId);
      const laterAt = later.flatMap((one) => one.sequence ?? []);
      const change = { type: "membership", userId, groupId, state, carried: true, ...sideListOf(side), ...asked, laterAt } as const;
      changeConsent(effects, change, origin);
    }
    view.put(`w:${name}`, undefined);
    left -= 1;
  }
  if (left < waiting) view.put("w:count", left === 0 ? undefined : left);
}
