/** What a declaration of translations writes, and what it refuses before it writes anything. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { declareTranslations } from "./declare-translations.ts";
import type { DeclaredOwner, DeclaredTranslations } from "./declared-translations.ts";
import { campaign, ids, settings } from "./translation.fixture.ts";
import type { MessageOwner, TextsKey } from "./translation.ts";
import type { DeclaredWrite, TranslationStore } from "./translation-ports.ts";

const source = new Map([["id_0", "Hello"]]);
const workspace = "w";

/** With texts, all of them `source`, under some keys. */
function storeOf(owners: readonly MessageOwner[], keys: readonly TextsKey[]) {
  const written: DeclaredWrite[] = [];
  const store: Partial<TranslationStore> = {
    declared: async () => ({ revision: 1, settings, owners }),
    texts: async (_, asked) => {
      return asked.map(({ messageId, localeId }) =>
        keys.some((key) => key.messageId === messageId && key.localeId === localeId) ? source : undefined
      );
    },
    textKeys: async () => keys,
    commitDeclared: async (_, write) => {
      written.push(write);
      return "committed";
    },
  };
  return { deps: { store: store as TranslationStore, newId: () => crypto.randomUUID() }, written };
}

function declaration(
  owners: readonly DeclaredOwner[],
  of: { readonly dryRun: boolean },
): DeclaredTranslations & { prune: true; dryRun: boolean } {
  return { settings: undefined, owners, prune: true, ...of };
}

function ownerOf(messageIds: readonly string[]): DeclaredOwner {
  const variations = messageIds.map((id) => ({ id, name: id, channel: "email", locales: undefined, source }));
  return { kind: "campaign", id: ids.campaign, name: "Welcome", steps: [{ id: "", name: "", variations }] };
}

test("declareTranslations() removes texts that there are of what goes and of what is new, but a source that is declared", async () => {
  const keys = [[ids.email, ids.french], [ids.plain, ids.spanish], [ids.nobody, ""], [ids.nobody, ids.spanish]] as const;
  const { deps, written } = storeOf([campaign], keys.map(([messageId, localeId]) => ({ messageId, localeId })));
  await declareTranslations(deps, workspace, declaration([ownerOf([ids.email, ids.nobody])], { dryRun: false }));
  expect(written.map(({ goneTexts }) => goneTexts)).toEqual([[
    { messageId: ids.plain, localeId: ids.spanish },
    { messageId: ids.nobody, localeId: ids.spanish },
  ]]);
});

test("declareTranslations() refuses more than is written at once, also in a dry run", async () => {
  const locales = Array.from({ length: limits.declaredWritesMax }, (_, at) => ({ messageId: ids.plain, localeId: String(at) }));
  for (const dryRun of [true, false]) {
    const { deps, written } = storeOf([campaign], locales);
    await expect(declareTranslations(deps, workspace, declaration([ownerOf([ids.email])], { dryRun }))).rejects.toMatchObject({
      reason: "INPUT_INVALID",
      message: expect.stringMatching(/20000.*several steps/),
    });
    expect(written).toEqual([]);
  }
  const { deps, written } = storeOf([campaign], locales.slice(10));
  await declareTranslations(deps, workspace, declaration([ownerOf([ids.email])], { dryRun: false }));
  expect(written).toHaveLength(1);
});
