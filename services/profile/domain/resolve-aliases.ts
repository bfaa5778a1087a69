/** Aliases: given, made into users of their own, renamed. A pair of label and name is one user's in the workspace. */
import { limits } from "../../../platform/limits.ts";
import type { IntakeBody } from "./intake-record.ts";
import type { UserRow } from "./identity.ts";
import type { Alias } from "./user-key.ts";
import { aliasKey, externalIdKey, holdsLabel } from "./user-names.ts";
import { touchUser } from "./resolve-addresses.ts";
import { type Effects, putUser, send } from "./resolve-effects.ts";
import { followTouch, sideOf, type Touch, withoutOverMerges } from "./resolve-open-merges.ts";
import { createUser } from "./resolve-track.ts";

type Body<Type extends IntakeBody["type"]> = Extract<IntakeBody, { type: Type }>;

/**
 * POST /users/alias/new. Nothing happens for an alias somebody has, for an unknown external id, and for a user that
 * has an alias with this label (a name changes by /users/alias/update) or as many aliases as a user may have.
 */
export function resolveNewAliases(effects: Effects, aliases: Body<"createAliases">["aliases"]): void {
  for (const { externalId, alias } of aliases) {
    if (effects.view.userOf(aliasKey(alias.label, alias.name)) !== undefined) continue;
    if (externalId === undefined) createUser(effects, { by: "alias", ...alias }, {});
    else addAlias(effects, externalId, alias);
  }
}

function addAlias(effects: Effects, externalId: string, alias: Alias): void {
  const row = effects.view.userOf(externalIdKey(externalId));
  if (row === undefined || holdsLabel(row, alias.label) || row.aliases.length >= limits.aliasesPerUserMax) return;
  effects.view.put(aliasKey(alias.label, alias.name), row.id);
  const { label, name } = alias;
  changeAliases(effects, row, {
    key: { by: "externalId", id: externalId },
    apply: (of) => ({ ...of, aliases: [...of.aliases, { label, name }] }),
  });
}

/** POST /users/alias/update. Nothing happens where nobody has the old name, and where somebody has the new one. */
export function resolveAliasRenames(effects: Effects, renames: Body<"renameAliases">["renames"]): void {
  for (const { label, oldName, newName } of renames) {
    const row = effects.view.userOf(aliasKey(label, oldName));
    if (row === undefined || effects.view.userOf(aliasKey(label, newName)) !== undefined) continue;
    effects.view.put(aliasKey(label, oldName), undefined);
    effects.view.put(aliasKey(label, newName), row.id);
    changeAliases(effects, row, {
      key: { by: "alias", label, name: oldName },
      apply: (of) => ({
        ...of,
        aliases: of.aliases.map((own) => own.label === label && own.name === oldName ? { label, name: newName } : own),
      }),
    });
  }
}

function changeAliases(effects: Effects, before: UserRow, touch: Touch): void {
  const row = withoutOverMerges(effects, before);
  const side = sideOf(effects.view, row, touch.key);
  const after = touch.apply(row);
  putUser(effects, after);
  send(effects, { id: row.id, side }, { type: "identity", aliases: after.aliases });
  touchUser(effects, after);
  followTouch(effects, after, touch);
}
