/** An operator lets a rejected user back in: for users that exist. */
import { findUser } from "./choose-user.ts";
import { type Effects, send } from "./resolve-effects.ts";
import { sideOf, withoutOverMerges } from "./resolve-open-merges.ts";
import type { UserKey } from "./user-key.ts";

export function resolveAdmission(effects: Effects, key: UserKey): void {
  const found = findUser(effects.view, key);
  effects.items = [{ index: 0, ok: found !== undefined, reason: found === undefined ? "There is no such user" : "" }];
  if (found === undefined) return;
  const row = withoutOverMerges(effects, found);
  send(effects, { id: row.id, externalId: row.externalId, side: sideOf(effects.view, row, key) }, { type: "admit" });
}
