/** Aliases: given, made into users of their own, renamed. A pair of label and name is one user's in the workspace. */
import { aliasRefusal } from "../identity/alias-room.ts";
import type { BodyOf } from "../record/intake-record.ts";
import type { ItemOutcome, UserRow } from "../identity/identity.ts";
import type { Alias } from "../record/user-key.ts";
import { aliasKey, externalIdKey, holdsLabel } from "../identity/user-names.ts";
import { touchUser } from "./addresses.ts";
import { type Effects, putUser, send } from "./effects.ts";
import { followTouch, sideOf, type Touch, withoutOverMerges } from "./open-merges.ts";
import { createUser } from "./track.ts";

/**
 * POST /users/alias/new. Nothing happens for an alias that a user has, for an unknown external id, and for a user that
 * has an alias with this label (a name changes by /users/alias/update). Items are those that were refused.
 */
export function resolveNewAliases(effects: Effects, aliases: BodyOf<"createAliases">["aliases"]): void {
  effects.items = [];
  for (const [index, { externalId, alias }] of aliases.entries()) {
    if (effects.view.userOf(aliasKey(alias.label, alias.name)) !== undefined) continue;
    if (externalId === undefined) createUser(effects, { by: "alias", ...alias }, {});
    else refuse(effects.items, index, addAlias(effects, externalId, alias));
  }
}

function refuse(items: ItemOutcome[], index: number, reason: string | undefined): void {
  if (reason !== undefined) items.push({ index, ok: false, reason });
}

/** Why the user may not have the alias; undefined where it has it, and where there is nothing to do. */
function addAlias(effects: Effects, externalId: string, alias: Alias): string | undefined {
  const row = effects.view.userOf(externalIdKey(externalId));
  if (row === undefined || holdsLabel(row, alias.label)) return undefined;
  const reason = aliasRefusal([...row.aliases, alias]);
  if (reason !== undefined) return reason;
  effects.view.put(aliasKey(alias.label, alias.name), row.id);
  const { label, name } = alias;
  changeAliases(effects, row, {
    key: { by: "externalId", id: externalId },
    apply: (of) => ({ ...of, aliases: [...of.aliases, { label, name }] }),
  });
  return undefined;
}

type Rename = BodyOf<"renameAliases">["renames"][number];

/** POST /users/alias/update. Nothing happens where no user has the old name, and where a user has the new one. Items as above. */
export function resolveAliasRenames(effects: Effects, renames: readonly Rename[]): void {
  effects.items = [];
  for (const [index, rename] of renames.entries()) refuse(effects.items, index, renameAlias(effects, rename));
}

function renameAlias(effects: Effects, { label, oldName, newName }: Rename): string | undefined {
  const row = effects.view.userOf(aliasKey(label, oldName));
  if (row === undefined || effects.view.userOf(aliasKey(label, newName)) !== undefined) return undefined;
  function renamed(aliases: readonly Alias[]): Alias[] {
    return aliases.map((own) => own.label === label && own.name === oldName ? { label, name: newName } : own);
  }
  const reason = aliasRefusal(renamed(row.aliases));
  if (reason !== undefined) return reason;
  effects.view.put(aliasKey(label, oldName), undefined);
  effects.view.put(aliasKey(label, newName), row.id);
  changeAliases(effects, row, {
    key: { by: "alias", label, name: oldName },
    apply: (of) => ({ ...of, aliases: renamed(of.aliases) }),
  });
  return undefined;
}

function changeAliases(effects: Effects, before: UserRow, touch: Touch): void {
  const row = withoutOverMerges(effects, before);
  const side = sideOf(effects.view, row, touch.key);
  const after = touch.apply(row);
  putUser(effects, after);
  send(effects, { id: row.id, externalId: row.externalId, side }, { type: "identity", aliases: after.aliases });
  touchUser(effects, after);
  followTouch(effects, after, touch);
}
