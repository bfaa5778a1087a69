/** The report of missing texts, as far as somebody waits for it. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import { listMissingTexts } from "./list-missing-texts.ts";
import { campaign, canvas, ids, otherCampaign, settings } from "./translation.fixture.ts";
import { sourceLocaleId } from "./translation.ts";
import type { TranslationStore } from "./translation-ports.ts";

/** Each message has one text in its source, and no translation. */
function storeOf(onRead: (messageId: string) => void = () => {}): TranslationStore {
  const store: Partial<TranslationStore> = {
    declared: async () => ({ revision: 1, settings, owners: [campaign, otherCampaign, canvas] }),
    async texts(_, keys) {
      onRead(keys[0]?.messageId ?? "");
      return keys.map(({ localeId }) => localeId === sourceLocaleId ? new Map([["id_0", "Hello"]]) : undefined);
    },
  };
  return store as TranslationStore;
}

test("listMissingTexts() names each text without a translation, by message and language", async () => {
  const { signal } = new AbortController();
  const { missing, more } = await listMissingTexts(storeOf(), "w", { locale: "fr", signal });
  expect(more).toBe(false);
  expect(missing.map(({ variation, locale, textIds }) => [variation.id, locale.name, textIds])).toEqual([[ids.email, "fr", ["id_0"]]]);
  expect((await listMissingTexts(storeOf(), "w", { locale: "", signal })).missing.length).toBeGreaterThan(1);
});

test("listMissingTexts() holds the texts of a few languages at a time, which may have 20 MB each", async () => {
  const locales = Array.from({ length: 60 }, (_, at) => ({ id: `${at}`, name: `l${at}`, country: "", language: "" }));
  const variations = [{ id: "m", name: "A", channel: "email", localeIds: locales.map(({ id }) => id) }];
  let [held, most] = [0, 0];
  const store: Partial<TranslationStore> = {
    declared: async () => ({
      revision: 1,
      settings: { ...settings, locales },
      owners: [{ ...campaign, steps: [{ id: "", name: "", variations }] }],
    }),
    async texts(_, keys) {
      held += keys.length;
      most = Math.max(most, held);
      await new Promise((resolve) => setImmediate(resolve));
      held -= keys.length;
      return keys.map(({ localeId }) => localeId === sourceLocaleId ? new Map([["id_0", "Hello"]]) : undefined);
    },
  };
  const { missing } = await listMissingTexts(store as TranslationStore, "w", { locale: "", signal: new AbortController().signal });
  expect(missing).toHaveLength(60);
  expect(most).toBeLessThanOrEqual(8);
});

test("listMissingTexts() names no more than an answer between parts holds", async () => {
  const source = new Map(Array.from({ length: limits.textsPerMessageMax }, (_, at) => [`${at}`.padStart(255, "a"), "Hello"]));
  const [step] = campaign.steps;
  const variations = Array.from({ length: 12 }, (_, at) => ({ id: `${at}`, name: "A", channel: "email", localeIds: [ids.french] }));
  const store: Partial<TranslationStore> = {
    declared: async () => ({ revision: 1, settings, owners: [{ ...campaign, steps: [{ id: "", name: "", ...step, variations }] }] }),
    texts: async (_, keys) => keys.map(({ localeId }) => localeId === sourceLocaleId ? source : undefined),
  };
  const found = await listMissingTexts(store as TranslationStore, "w", { locale: "", signal: new AbortController().signal });
  expect(found.more).toBe(true);
  expect(JSON.stringify(found.missing.map(({ textIds }) => textIds)).length).toBeLessThan(limits.rpcMessageBytesMax);
});

test("listMissingTexts() reads no further message once nobody waits any more", async () => {
  const waiting = new AbortController();
  const read: string[] = [];
  const store = storeOf((messageId) => {
    read.push(messageId);
    waiting.abort(new Error("gone"));
  });
  await expect(listMissingTexts(store, "w", { locale: "", signal: waiting.signal })).rejects.toThrow("gone");
  expect(read).toHaveLength(1);
});
