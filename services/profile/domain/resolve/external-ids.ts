/** External ids renamed, and former ones removed (api-facts section 3). */
import { limits } from "../../../../platform/limits.ts";
import type { ItemOutcome, UserRow } from "../identity/identity.ts";
import type { BodyOf } from "../record/intake-record.ts";
import { externalIdKey } from "../identity/user-names.ts";
import { touchUser } from "./addresses.ts";
import { type Effects, putUser, send } from "./effects.ts";
import { takePending } from "./pending.ts";
import { blockMerges, withoutOverMerges } from "./open-merges.ts";

type Renames = BodyOf<"renameExternalIds">["renames"];
type Rename = Renames[number];

/** POST /users/external_ids/rename: the old id is deprecated and still means the user. */
export function resolveExternalIdRenames(effects: Effects, renames: Renames): void {
  effects.items = renames.map((rename, index) => outcomeOf(index, renameExternalId(effects, rename)));
}

/** POST /users/external_ids/remove: only deprecated ids. */
export function resolveExternalIdRemovals(effects: Effects, externalIds: readonly string[]): void {
  effects.items = externalIds.map((id, index) => outcomeOf(index, removeExternalId(effects, id)));
}

function outcomeOf(index: number, reason: string | undefined): ItemOutcome {
  return { index, ok: reason === undefined, reason: reason ?? "" };
}

const tooManyFormer = `The user has ${limits.formerExternalIdsPerUserMax} deprecated external ids: remove some first`;

/** Why nothing happened; undefined where it did. */
function renameExternalId(effects: Effects, { current, next }: Rename): string | undefined {
  if (current === next) return "The current and the new external id are the same";
  const found = effects.view.userOf(externalIdKey(current));
  if (found === undefined) return "The current external id does not exist";
  if (found.externalId !== current) return "The current external id is deprecated";
  if (effects.view.userOf(externalIdKey(next)) !== undefined) return "The new external id is already in use";
  if (found.deprecatedIds.length >= limits.formerExternalIdsPerUserMax) return tooManyFormer;
  const row = withoutOverMerges(effects, found);
  blockMerges(effects, row, "The external id of the target was renamed since");
  const after: UserRow = { ...row, externalId: next, deprecatedIds: [...row.deprecatedIds, current] };
  effects.view.put(externalIdKey(next), row.id);
  putUser(effects, after);
  send(effects, after, { type: "identity", externalId: next });
  takePending(effects, row, [externalIdKey(next)]);
  touchUser(effects, after);
  return undefined;
}

function removeExternalId(effects: Effects, id: string): string | undefined {
  const found = effects.view.userOf(externalIdKey(id));
  if (found === undefined) return "The external id does not exist";
  if (found.externalId === id) return "The external id is not deprecated";
  const row = withoutOverMerges(effects, found);
  blockMerges(effects, row, "A former external id of the target was removed since");
  const after = { ...row, deprecatedIds: row.deprecatedIds.filter((deprecated) => deprecated !== id) };
  effects.view.put(externalIdKey(id), undefined);
  putUser(effects, after);
  touchUser(effects, after);
  return undefined;
}
