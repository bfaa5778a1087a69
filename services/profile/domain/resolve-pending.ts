/** Memberships set for names that no user has: kept, and given to the user who gets the name. */
import type { PendingMembership } from "./identity.ts";
import type { UserId } from "./user-key.ts";
import type { AddressKey, NameKey } from "./user-names.ts";
import { changeConsent, type Effects } from "./resolve-effects.ts";

/** The latest state of a group takes the place of an earlier one. */
export function keepPending(effects: Effects, name: NameKey | AddressKey, set: Pick<PendingMembership, "groupId" | "state">): void {
  const { view } = effects;
  const { requestId, actor, sequence } = effects.record;
  const found = view.pending(name);
  if (found === undefined) view.put("w:count", view.pendingCount() + 1);
  const others = (found?.memberships ?? []).filter(({ groupId }) => groupId !== set.groupId);
  view.put(`w:${name}`, { memberships: [...others, { ...set, requestId, actor, sequence }] });
}

/** The user has got the names. Costs nothing where no membership of the workspace waits. */
export function takePending(effects: Effects, userId: UserId, names: readonly (NameKey | AddressKey)[]): void {
  const { view } = effects;
  const waiting = view.pendingCount();
  if (waiting === 0) return;
  view.need(names.map((name) => `w:${name}` as const));
  let left = waiting;
  for (const name of names) {
    const found = view.pending(name);
    if (found === undefined) continue;
    for (const { groupId, state, sequence, ...origin } of found.memberships) {
      const asked = sequence === undefined ? {} : { askedAt: sequence };
      changeConsent(effects, { type: "membership", userId, groupId, state, carried: true, ...asked }, origin);
    }
    view.put(`w:${name}`, undefined);
    left -= 1;
  }
  if (left < waiting) view.put("w:count", left === 0 ? undefined : left);
}
