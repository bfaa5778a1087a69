/** What every store of translations promises; each driver passes the same suite. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { declareTranslations } from "../domain/declare-translations.ts";
import { campaign, canvas, ids, otherCampaign, settings } from "../domain/translation.fixture.ts";
import type { DeclaredWrite, TextsWrite, TranslationStore } from "../domain/translation-ports.ts";

export interface TranslationsDriver {
  readonly store: TranslationStore;
  close(): Promise<void>;
}

const now = Date.UTC(2026, 0, 1);
const day = 24 * 3600 * 1000;
const key = { messageId: ids.email, localeId: ids.spanish };
const hola = new Map([["id_0", "Hola"], ["__proto__", "¡Adiós! 😀"], ["empty", ""]]);

function write(values: Partial<DeclaredWrite> = {}): DeclaredWrite {
  return { revision: 0, settings, puts: [campaign, canvas], drops: [], sources: [], goneIds: [], ...values };
}

function put(values: Partial<TextsWrite> = {}): TextsWrite {
  return { key, texts: hola, now, ...values };
}

export function describeTranslations(driver: string, open: () => Promise<TranslationsDriver>, hookMs?: number): void {
  describe(`translations (${driver})`, () => {
    let opened: TranslationsDriver;
    let store: TranslationStore;
    let made = 0;
    let workspace = "";
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    }, hookMs);
    beforeEach(() => {
      workspace = `ws-${made += 1}`;
    });
    afterAll(() => opened?.close(), hookMs);

    test("nothing is there where nothing was declared", async () => {
      expect(await store.settings(workspace)).toBeUndefined();
      expect(await store.owner(workspace, "campaign", ids.campaign)).toBeUndefined();
      expect(await store.holder(workspace, ids.email)).toBeUndefined();
      expect(await store.texts(workspace, [key])).toEqual([undefined]);
      expect(await store.declared(workspace)).toEqual({ revision: 0, settings: undefined, owners: [] });
      expect(await store.remembered(workspace, "r", now)).toBeUndefined();
    });

    test("commitDeclared() writes all of a change, for its own workspace only", async () => {
      const sources = [{ messageId: ids.email, texts: new Map([["id_0", "Hello"]]) }];
      expect(await store.commitDeclared(workspace, write({ sources }))).toBe("committed");
      expect(await store.settings(workspace)).toEqual(settings);
      expect(await store.owner(workspace, "campaign", ids.campaign)).toEqual(campaign);
      expect(await store.owner(workspace, "canvas", ids.campaign)).toBeUndefined();
      expect(await store.holder(workspace, ids.email)).toEqual(campaign);
      expect(await store.holder(workspace, ids.step)).toEqual(canvas);
      expect(await store.holder(workspace, ids.canvas)).toBeUndefined();
      expect(await store.declared(workspace)).toEqual({ revision: 1, settings, owners: [campaign, canvas] });
      expect(await store.texts(workspace, [{ messageId: ids.email, localeId: "" }, key])).toEqual([sources[0]?.texts, undefined]);
      expect(await store.declared(`${workspace}-other`)).toEqual({ revision: 0, settings: undefined, owners: [] });
      expect(await store.holder(`${workspace}-other`, ids.email)).toBeUndefined();
    });

    test("commitDeclared() writes nothing where something else was declared since", async () => {
      expect(await store.commitDeclared(workspace, write())).toBe("committed");
      expect(await store.commitDeclared(workspace, write({ puts: [otherCampaign] }))).toBe("changed");
      expect(await store.holder(workspace, ids.otherEmail)).toBeUndefined();
      expect(await store.commitDeclared(workspace, write({ revision: 1, puts: [otherCampaign] }))).toBe("committed");
      expect((await store.declared(workspace)).owners.map(({ id }) => id)).toEqual([ids.campaign, ids.otherCampaign, ids.canvas]);
    });

    test("commitDeclared() lets one of several through", async () => {
      const outcomes = await Promise.all(Array.from({ length: 5 }, () => store.commitDeclared(workspace, write())));
      expect(outcomes.toSorted()).toEqual(["changed", "changed", "changed", "changed", "committed"]);
      expect((await store.declared(workspace)).revision).toBe(1);
    });

    test("commitDeclared() removes what is gone, with the places it was found under", async () => {
      await store.commitDeclared(workspace, write({ puts: [campaign, otherCampaign, canvas] }));
      const change = { drops: [campaign], goneIds: [ids.email, ids.plain, ids.sms] };
      expect(await store.commitDeclared(workspace, write({ revision: 1, puts: [], ...change }))).toBe("committed");
      expect(await store.owner(workspace, "campaign", ids.campaign)).toBeUndefined();
      expect(await store.holder(workspace, ids.email)).toBeUndefined();
      expect((await store.declared(workspace)).owners).toEqual([otherCampaign, canvas]);
    });

    test("commitDeclared() moves a message to another campaign", async () => {
      await store.commitDeclared(workspace, write());
      const [moved, ...rest] = campaign.steps[0]?.variations ?? [];
      if (moved === undefined) throw new Error("Expected a message");
      const without = { ...campaign, steps: [{ id: "", name: "", variations: rest }] };
      const into = { ...otherCampaign, steps: [{ id: "", name: "", variations: [moved] }] };
      await store.commitDeclared(workspace, write({ revision: 1, puts: [into, without] }));
      expect(await store.holder(workspace, moved.id)).toEqual(into);
    });

    test("putTexts() replaces the texts of one message in one language", async () => {
      expect(await store.putTexts(workspace, put({ texts: new Map([["old", "x"]]) }))).toBe("committed");
      expect(await store.putTexts(workspace, put())).toBe("committed");
      const french = { ...key, localeId: ids.french };
      await store.putTexts(workspace, put({ key: french, texts: new Map() }));
      const [first, second, third] = await store.texts(workspace, [key, { ...key, messageId: ids.plain }, french]);
      expect([...first ?? []]).toEqual([...hola]);
      expect([second, third]).toEqual([undefined, new Map()]);
    });

    test("textKeys() lists whatever has texts, of its own workspace only; removeTexts() takes them away while nothing else is declared", async () => {
      expect(await store.textKeys(workspace)).toEqual([]);
      await store.commitDeclared(workspace, write({ sources: [{ messageId: ids.email, texts: new Map([["id_0", "Hello"]]) }] }));
      await store.putTexts(workspace, put());
      const source = { messageId: ids.email, localeId: "" };
      expect(await store.textKeys(workspace)).toEqual([source, key]);
      expect(await store.textKeys(`${workspace}-other`)).toEqual([]);
      expect(await store.removeTexts(workspace, 0, [key])).toBe("changed");
      expect(await store.textKeys(workspace)).toEqual([source, key]);
      expect(await store.removeTexts(workspace, 1, [key])).toBe("committed");
      expect(await store.textKeys(workspace)).toEqual([source]);
      expect((await store.declared(workspace)).revision).toBe(1);
    });

    test("a PUT that comes while its message or language is taken away leaves nothing to those declared again", async () => {
      async function declare(locales: readonly string[], variations: readonly string[]): Promise<void> {
        const owner = { kind: "campaign" as const, id: ids.campaign, name: "Welcome" };
        const declared = variations.map((id) => ({ id, name: id, channel: "email", locales: [...locales], source: undefined }));
        await declareTranslations({ store, newId: () => crypto.randomUUID() }, workspace, {
          settings: {
            earlyAccess: undefined,
            enabled: true,
            locales: locales.map((name) => ({ id: name === "es" ? ids.spanish : ids.french, name, country: "", language: "" })),
          },
          owners: [{ ...owner, steps: [{ id: "", name: "", variations: declared }] }],
          prune: true,
          dryRun: false,
        });
      }
      const keys = [[ids.email, ids.spanish], [ids.email, ids.french], [ids.plain, ids.spanish], [ids.plain, ids.french]] as const;
      const all = keys.map(([messageId, localeId]) => ({ messageId, localeId }));
      await declare(["es", "fr"], [ids.email, ids.plain]);
      await declare(["es"], [ids.plain]);
      // What they looked at was there still
      for (const each of all) await store.putTexts(workspace, put({ key: each }));
      await declare(["es", "fr"], [ids.email, ids.plain]);
      expect(await store.texts(workspace, all)).toEqual([undefined, undefined, hola, undefined]);
    });

    test("putTexts() keeps large texts", async () => {
      const text = Array.from({ length: 300_000 }, (_, at) => `${at} ñ`).join();
      await store.putTexts(workspace, put({ texts: new Map([["id_0", text]]) }));
      const [read] = await store.texts(workspace, [key]);
      expect(read?.get("id_0") === text).toBe(true);
    });

    test("putTexts() takes a mark once, within its workspace and its time", async () => {
      const mark = { requestHash: "r", bodyHash: "b", sentHash: "s" };
      expect(await store.putTexts(workspace, put({ idempotency: mark }))).toBe("committed");
      expect(await store.remembered(workspace, "r", now)).toMatchObject({ bodyHash: "b", sentHash: "s" });
      expect(await store.remembered(`${workspace}-other`, "r", now)).toBeUndefined();
      await store.putTexts(workspace, put({ texts: new Map([["id_0", "newer"]]) }));
      expect(await store.putTexts(workspace, put({ idempotency: mark }))).toBe("repeated");
      expect(await store.putTexts(workspace, put({ idempotency: { ...mark, sentHash: "other" } }))).toBe("reused");
      expect(await store.putTexts(workspace, put({ idempotency: { requestHash: "r", bodyHash: "b" } }))).toBe("repeated");
      expect(await store.texts(workspace, [key])).toEqual([new Map([["id_0", "newer"]])]);
      expect(await store.remembered(workspace, "r", now + day)).toBeUndefined();
      expect(await store.putTexts(workspace, put({ idempotency: { ...mark, sentHash: "other" }, now: now + day }))).toBe("committed");
    });

    test("putTexts() keeps all of many that come at once, those with a mark too", async () => {
      const keys = Array.from({ length: 100 }, (_, at) => ({ ...key, messageId: `message-${at}` }));
      const outcomes = await Promise.all(
        keys.map((each, at) => {
          const mark = at % 2 === 0 ? { idempotency: { requestHash: `r${at}`, bodyHash: `b${at}` } } : {};
          return store.putTexts(workspace, put({ key: each, texts: new Map([["id_0", String(at)]]), ...mark }));
        }),
      );
      expect(new Set(outcomes)).toEqual(new Set(["committed"]));
      expect(await store.texts(workspace, keys)).toEqual(keys.map((_, at) => new Map([["id_0", String(at)]])));
      expect([await store.remembered(workspace, "r98", now), await store.remembered(workspace, "r99", now)])
        .toEqual([expect.objectContaining({ bodyHash: "b98" }), undefined]);
    });

    test("putTexts() takes one of several bodies that come at once with one mark", async () => {
      const bodies = ["a", "b", "c", "d"];
      const outcomes = await Promise.all(
        bodies.map((body) =>
          store.putTexts(workspace, put({ texts: new Map([["id_0", body]]), idempotency: { requestHash: "r", bodyHash: body } }))
        ),
      );
      expect(outcomes.toSorted()).toEqual(["committed", "reused", "reused", "reused"]);
      const [texts] = await store.texts(workspace, [key]);
      expect(texts?.get("id_0")).toBe((await store.remembered(workspace, "r", now))?.bodyHash);
    });
  });
}
