/** The use case behind `heddle apply`: makes settings, campaigns and canvases be as declared. */
import { type FieldChange, fieldChanges } from "../../../platform/field-changes.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import { type DeclaredTranslations, refused } from "./declared-translations.ts";
import { type DeclaredChange, planDeclaration, type PlannedDeclaration } from "./plan-declaration.ts";
import { idsIn, sourceLocaleId, type Texts } from "./translation.ts";
import type { DeclaredWrite, TranslationStore } from "./translation-ports.ts";

/**
 * Doing it twice changes nothing the second time. What the declaration leaves out stays, unless `prune`.
 * Refuses INPUT_INVALID for a declaration that contradicts itself or what there is, or that writes too much at once, STATE_CONFLICT where
 * others declare all the time.
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
    const write = { ...planned.write, sources };
    checkSize(write);
    if (declaration.dryRun || changes.every(({ action }) => action === "unchanged")) return changes;
    if (await removeTexts(store, { workspaceId, planned, when: "begin" }) === "changed") continue;
    if (await store.commitDeclared(workspaceId, write) === "changed") continue;
    await removeTexts(store, { workspaceId, planned, when: "end" });
    return changes;
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

/**
 * Of what begins before it is there, and of what ends after it has gone, however many: no read shows them meanwhile. A source that is
 * declared is written, or stays as it is.
 */
async function removeTexts(
  store: TranslationStore,
  { workspaceId, planned: { write, ...texts }, when }: { workspaceId: string; planned: PlannedDeclaration; when: "begin" | "end" },
): Promise<"committed" | "changed"> {
  const isOne = texts[when];
  if (isOne === undefined) return "committed";
  const declared = new Set(write.sources.map(({ messageId }) => messageId));
  const keys = (await store.textKeys(workspaceId))
    .filter((key) => isOne(key) && !(key.localeId === sourceLocaleId && declared.has(key.messageId)));
  const revision = write.revision + (when === "end" ? 1 : 0);
  for (const slice of slicesOf(keys, limits.declaredWritesMax)) {
    if (await store.removeTexts(workspaceId, revision, slice) === "changed") return "changed";
  }
  return "committed";
}

/** What is declared at once is written at once, or not at all. */
function checkSize({ puts, drops, sources, goneIds }: DeclaredWrite): void {
  const bytes = puts.reduce((sum, owner) => sum + Buffer.byteLength(JSON.stringify(owner)), 0);
  if (bytes > limits.declaredBytesMax) {
    throw refused(
      `Campaigns and canvases of more than ${limits.declaredBytesMax} bytes would be written at once: declare them in several steps`,
    );
  }
  const held = puts.reduce((sum, { steps }) => sum + 1 + idsIn(steps).length, 0);
  if (held + drops.length + sources.length + goneIds.length <= limits.declaredWritesMax) return;
  throw refused(
    `More than ${limits.declaredWritesMax} campaigns, canvases, steps, messages and sources would be written at once: declare them in several steps`,
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
