/** The use case behind `heddle apply`: makes settings, campaigns and canvases be as declared. */
import { type FieldChange, fieldChanges } from "../../../platform/field-changes.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { type DeclaredTranslations, refused } from "./declared-translations.ts";
import { type DeclaredChange, planDeclaration, type PlannedDeclaration } from "./plan-declaration.ts";
import { idsIn, sourceLocaleId, type Texts, type TextsKey } from "./translation.ts";
import type { DeclaredWrite, TranslationStore } from "./translation-ports.ts";

/**
 * Doing it twice changes nothing the second time. What the declaration leaves out stays, unless `prune`.
 * Refuses INPUT_INVALID for a declaration that contradicts itself or what there is, STATE_CONFLICT where others declare all the time.
 */
export async function declareTranslations(
  { store, newId }: { readonly store: TranslationStore; readonly newId: () => string },
  workspaceId: string,
  declaration: DeclaredTranslations & { readonly prune: boolean; readonly dryRun: boolean },
): Promise<readonly DeclaredChange[]> {
  for (let attempt = 0; attempt < limits.declareAttemptsMax; attempt += 1) {
    const current = await store.declared(workspaceId);
    const planned = planDeclaration(current, declaration, { prune: declaration.prune, newId });
    const { sources, changes } = await withoutEqualSources(store, workspaceId, planned);
    const write = { ...planned.write, sources, goneTexts: await goneTexts(store, workspaceId, planned) };
    checkSize(write);
    if (declaration.dryRun || changes.every(({ action }) => action === "unchanged")) return changes;
    if (await store.commitDeclared(workspaceId, write) === "committed") return changes;
  }
  throw new Refusal("STATE_CONFLICT", "The translations of this workspace are declared by somebody else just now; try again");
}

/** Only sources that differ from what there is are written, and then their message is reported as updated. */
async function withoutEqualSources(
  store: TranslationStore,
  workspaceId: string,
  { write, changes }: PlannedDeclaration,
): Promise<Pick<DeclaredWrite, "sources"> & Pick<PlannedDeclaration, "changes">> {
  const keys = write.sources.map(({ messageId }) => ({ messageId, localeId: sourceLocaleId }));
  const before = await store.texts(workspaceId, keys);
  const sources = write.sources.map((source, at) => ({ ...source, before: before[at] })).filter(({ texts, before }) =>
    !isSame(texts, before)
  );
  const updated = new Map(sources.map(({ messageId, texts, before = new Map() }) => [messageId, textChanges(before, texts)]));
  return {
    sources,
    changes: changes.map((change) => {
      const fields = updated.get(change.id);
      if (fields === undefined || change.what !== "message variation" || change.action === "created") return change;
      return { ...change, action: "updated", fields: [...change.fields ?? [], ...fields] };
    }),
  };
}

/** A source that is declared is written, or stays as it is. */
async function goneTexts(
  store: TranslationStore,
  workspaceId: string,
  { write, isGone }: PlannedDeclaration,
): Promise<readonly TextsKey[]> {
  if (isGone === undefined) return [];
  const declared = new Set(write.sources.map(({ messageId }) => messageId));
  const there = await store.textKeys(workspaceId);
  return there.filter((key) => isGone(key) && !(key.localeId === sourceLocaleId && declared.has(key.messageId)));
}

/** What is declared at once is written at once, or not at all. */
function checkSize({ puts, drops, sources, goneIds, goneTexts }: DeclaredWrite): void {
  const held = puts.reduce((sum, { steps }) => sum + 1 + idsIn(steps).length, 0);
  if (held + drops.length + sources.length + goneIds.length + goneTexts.length <= limits.declaredWritesMax) return;
  throw refused(
    `More than ${limits.declaredWritesMax} campaigns, canvases, steps, messages and texts would be written at once: declare them in several steps`,
  );
}

function textChanges(before: Texts, after: Texts): readonly FieldChange[] {
  const found = fieldChanges(Object.fromEntries(before), Object.fromEntries(after), "texts.");
  return found.length > 0 ? found : [{ field: "order of texts", from: [...before.keys()], to: [...after.keys()] }];
}

/** The order counts: it is that of the message. */
function isSame(texts: Texts, before: Texts | undefined): boolean {
  return before !== undefined && JSON.stringify([...texts]) === JSON.stringify([...before]);
}
