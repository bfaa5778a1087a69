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
  const removed: (readonly [revision: number, keys: readonly TextsKey[], afterWrites: number])[] = [];
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
    removeTexts: async (_, revision, keys) => {
      removed.push([revision, keys, written.length]);
      return "committed";
    },
  };
  return { deps: { store: store as TranslationStore, newId: () => crypto.randomUUID() }, written, removed };
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

test("declareTranslations() removes texts of what begins before it is there, but a source that is declared, and of what ends after it", async () => {
  const keys = [[ids.email, ids.french], [ids.plain, ids.spanish], [ids.nobody, ""], [ids.nobody, ids.spanish]] as const;
  const { deps, removed } = storeOf([campaign], keys.map(([messageId, localeId]) => ({ messageId, localeId })));
  await declareTranslations(deps, workspace, declaration([ownerOf([ids.email, ids.nobody])], { dryRun: false }));
  expect(removed).toEqual([
    [1, [{ messageId: ids.nobody, localeId: ids.spanish }], 0],
    [2, [{ messageId: ids.plain, localeId: ids.spanish }], 1],
  ]);
});

test("declareTranslations() removes however many texts, and none in a dry run", async () => {
  const keys = Array.from({ length: limits.declaredWritesMax + 1 }, (_, at) => ({ messageId: ids.plain, localeId: String(at) }));
  const { deps, written, removed } = storeOf([campaign], keys);
  await declareTranslations(deps, workspace, declaration([ownerOf([ids.email])], { dryRun: true }));
  expect([written, removed]).toEqual([[], []]);
  await declareTranslations(deps, workspace, declaration([ownerOf([ids.email])], { dryRun: false }));
  expect(removed.map(([, { length }]) => length)).toEqual([limits.declaredWritesMax, 1]);
});

test("declareTranslations() plans anew where something else was declared before texts of what begins were gone", async () => {
  const { deps, written, removed } = storeOf([campaign], [{ messageId: ids.nobody, localeId: ids.spanish }]);
  const { removeTexts } = deps.store;
  deps.store.removeTexts = async (...args) => (await removeTexts(...args), removed.length === 1 ? "changed" : "committed");
  await declareTranslations(deps, workspace, declaration([ownerOf([ids.email, ids.nobody])], { dryRun: false }));
  expect(removed.map(([, , afterWrites]) => afterWrites)).toEqual([0, 0]);
  expect(written).toHaveLength(1);
});

test("declareTranslations() refuses more bytes than are written at once", async () => {
  const locales = Array.from({ length: limits.localesPerWorkspaceMax }, (_, at) => `${letter(at / 26)}${letter(at)}`);
  const owners = Array.from({ length: 3 }, (_, at): DeclaredOwner => {
    const variations = Array.from(
      { length: 600 },
      (_, each) => ({ id: "", name: `${each}`, channel: "email", locales, source: undefined }),
    );
    return { kind: "campaign", id: "", name: `Campaign ${at}`, steps: [{ id: "", name: "", variations }] };
  });
  function declared(count: number) {
    const named = locales.map((name) => ({ id: "", name, country: "", language: "" }));
    const of = {
      ...declaration(owners.slice(0, count), { dryRun: false }),
      settings: { earlyAccess: undefined, enabled: true, locales: named },
    };
    return declareTranslations(storeOf([], []).deps, workspace, of);
  }
  await declared(2);
  await expect(declared(3)).rejects.toMatchObject({
    reason: "INPUT_INVALID",
    message: expect.stringMatching(/12582912 bytes.*several steps/),
  });
});

test("declareTranslations() refuses more than is written at once, also in a dry run", async () => {
  const many = Array.from({ length: limits.messagesPerOwnerMax }, () => crypto.randomUUID());
  const owners = Array.from({ length: limits.declaredWritesMax / many.length }, (_, at): DeclaredOwner => {
    const { steps, ...owner } = ownerOf(many.map(() => crypto.randomUUID()));
    return { ...owner, id: crypto.randomUUID(), name: `Campaign ${at}`, steps };
  });
  for (const dryRun of [true, false]) {
    const { deps, written } = storeOf([], []);
    await expect(declareTranslations(deps, workspace, declaration(owners, { dryRun }))).rejects.toMatchObject({
      reason: "INPUT_INVALID",
      message: expect.stringMatching(/20000.*several steps/),
    });
    expect(written).toEqual([]);
  }
});

function letter(at: number): string {
  return String.fromCharCode("a".charCodeAt(0) + (Math.floor(at) % 26));
}
