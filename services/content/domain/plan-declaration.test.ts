/** What a declaration makes of what there is. */
import { expect, test } from "vitest";
import { limits } from "../../../platform/limits.ts";
import type { DeclaredOwner, DeclaredStep, DeclaredTranslations, DeclaredVariation } from "./declared-translations.ts";
import { planDeclaration } from "./plan-declaration.ts";
import { campaign, canvas, ids, settings } from "./translation.fixture.ts";
import type { Declared } from "./translation-ports.ts";

const nothing: Declared = { revision: 0, settings: undefined, owners: [] };
const there: Declared = { revision: 3, settings, owners: [campaign, canvas] };

const declared: DeclaredTranslations = {
  settings: { earlyAccess: undefined, enabled: true, locales: [{ id: "", name: "es-MX", country: "Mexico", language: "" }] },
  owners: [
    {
      kind: "campaign",
      id: "",
      name: "Welcome",
      steps: [{
        id: "",
        name: "",
        variations: [{ id: "", name: "A", channel: "email", locales: ["es_mx"], source: new Map([["id_0", "Hello"]]) }],
      }],
    },
    {
      kind: "canvas",
      id: "",
      name: "Journey",
      steps: [{ id: "", name: "First", variations: [{ id: "", name: "A", channel: "sms", locales: undefined, source: undefined }] }],
    },
  ],
};

function options(prune = false) {
  let made = 0;
  return { prune, newId: () => `019c0000-0000-7000-8000-0000000001${String(made += 1).padStart(2, "0")}` };
}

function lines(changes: ReturnType<typeof planDeclaration>["changes"]): string[] {
  return changes.map(({ action, what, path }) => `${action} ${what} ${path}`.trim());
}

test("planDeclaration() makes everything, with ids, where there was nothing", () => {
  const { write, changes } = planDeclaration(nothing, declared, options());
  expect(lines(changes)).toEqual([
    "created locale es-MX",
    "created translation settings",
    "created campaign Welcome",
    "created message variation Welcome/A",
    "created canvas Journey",
    "created step Journey/First",
    "created message variation Journey/First/A",
  ]);
  const [locale] = write.settings.locales;
  expect(locale).toMatchObject({ name: "es-MX", country: "Mexico", language: "es" });
  expect(write.puts[0]?.steps[0]?.variations[0]?.localeIds).toEqual([locale?.id]);
  expect(write.sources.map(({ texts }) => [...texts])).toEqual([[["id_0", "Hello"]]]);
  const all = changes.map(({ id }) => id).filter((id) => id !== "");
  expect(new Set(all).size).toBe(6);
});

test("planDeclaration() changes nothing the second time", () => {
  const { write } = planDeclaration(nothing, declared, options());
  const again = planDeclaration({ revision: 1, settings: write.settings, owners: write.puts }, declared, options(true));
  expect(new Set(again.changes.map(({ action }) => action))).toEqual(new Set(["unchanged"]));
  expect([again.write.puts, again.write.drops, again.write.goneIds, again.begin, again.end]).toEqual([[], [], [], undefined, undefined]);
});

test("planDeclaration() keeps what the declaration leaves out", () => {
  const { write, changes } = planDeclaration(there, { ...declared, settings: undefined }, options());
  expect(write.settings).toEqual(settings);
  expect(lines(changes)).toEqual([
    "unchanged campaign Welcome",
    "updated message variation Welcome/A",
    "unchanged canvas Journey",
    "unchanged step Journey/First",
    "updated message variation Journey/First/A",
  ]);
  expect(write.puts.map(({ id }) => id)).toEqual([ids.campaign, ids.canvas]);
  expect(write.puts[0]?.steps[0]?.variations.map(({ id }) => id)).toEqual([ids.email, ids.plain, ids.sms]);
  expect(write.puts[1]?.steps[0]?.variations[0]).toMatchObject({ id: ids.stepEmail, channel: "sms", localeIds: [ids.spanish] });
});

test("planDeclaration() removes with prune what the declaration does not name, and its texts", () => {
  const [welcome] = declared.owners;
  if (welcome === undefined) throw new Error("Expected a campaign");
  const { write, changes, end } = planDeclaration(there, { ...declared, owners: [welcome] }, options(true));
  expect(lines(changes).filter((line) => line.startsWith("pruned"))).toEqual([
    "pruned locale fr",
    "pruned message variation Welcome/B",
    "pruned message variation Welcome/C",
    "pruned canvas Journey",
  ]);
  expect(write.drops).toEqual([{ ...canvas }]);
  expect(write.goneIds.toSorted()).toEqual([ids.plain, ids.sms, ids.step, ids.stepEmail, ids.smsStep, ids.stepSms].toSorted());
  const texts = [[ids.stepEmail, ids.spanish], [ids.stepEmail, ""], [ids.email, ids.french], [ids.email, ids.spanish], [
    ids.email,
    "",
  ]] as const;
  expect(texts.map(([messageId, localeId]) => end?.({ messageId, localeId }))).toEqual([true, true, true, false, false]);
});

test("planDeclaration() takes a pruned locale from messages that keep their locales", () => {
  const { write } = planDeclaration(there, declared, options(true));
  const again = planDeclaration({ revision: 4, settings, owners: write.puts }, {
    settings: { earlyAccess: undefined, enabled: undefined, locales: [{ id: "", name: "fr", country: "", language: "" }] },
    owners: [canvasOf({ name: "Journey", steps: [stepOf("First", [variationOf({ channel: "sms" })])] })],
  }, options(true));
  const message = again.write.puts[0]?.steps[0]?.variations[0];
  expect(message?.localeIds).toEqual([]);
  // The same language, declared once more under its id, has none of them
  expect(again.end?.({ messageId: message?.id ?? "", localeId: ids.spanish })).toBe(true);
});

test("planDeclaration() refuses more locales than a workspace may have, with those it has", () => {
  const names = Array.from({ length: limits.localesPerWorkspaceMax + 1 }, (_, at) => `a${letter(at / 26)}${letter(at)}`);
  const locales = names.map((name) => ({ id: "", name, country: "", language: "" }));
  function plan(from: number, prune: boolean) {
    const declaration = { settings: { earlyAccess: undefined, enabled: undefined, locales: locales.slice(from) }, owners: [] };
    return () => planDeclaration(there, declaration, { prune, newId: () => crypto.randomUUID() });
  }
  expect(plan(0, true)).toThrow(/at most 200 locales/);
  expect(plan(1, true)).not.toThrow();
  expect(plan(1, false)).toThrow(/at most 200 locales/);
});

function letter(at: number): string {
  return String.fromCharCode("a".charCodeAt(0) + Math.floor(at) % 26);
}

test("planDeclaration() refuses a campaign that would have too many messages with those it has", () => {
  function many(from: string) {
    const variations = Array.from({ length: limits.messagesPerOwnerMax }, (_, at) => variationOf({ name: `${from} ${at}` }));
    return { settings: undefined, owners: [{ ...canvasOf({ name: "Many" }), kind: "campaign" as const, steps: [stepOf("", variations)] }] };
  }
  function newOptions(prune: boolean) {
    return { prune, newId: () => crypto.randomUUID() };
  }
  const { write } = planDeclaration(there, many("first"), newOptions(false));
  const full = { ...there, owners: write.puts };
  expect(() => planDeclaration(full, many("second"), newOptions(false))).toThrow(/more than 1000 messages/);
  expect(() => planDeclaration(full, many("second"), newOptions(true))).not.toThrow();
});

test("planDeclaration() renames what is known by its id", () => {
  const owners = [{ kind: "campaign" as const, id: ids.campaign.toUpperCase(), name: "Hello", steps: [] }];
  const { write, changes } = planDeclaration(there, { settings: undefined, owners }, options());
  expect(lines(changes)).toEqual(["updated campaign Hello"]);
  expect(write.puts).toEqual([{ ...campaign, name: "Hello" }]);
});

function canvasOf(values: object): DeclaredOwner {
  return { kind: "canvas", id: "", name: "C", steps: [], ...values };
}

function stepOf(name: string, variations: DeclaredVariation[]): DeclaredStep {
  return { id: "", name, variations };
}

function variationOf(values: object): DeclaredVariation {
  return { id: "", name: "A", channel: "email", locales: undefined, source: undefined, ...values };
}

function owner(values: object): DeclaredTranslations {
  return { settings: undefined, owners: [canvasOf(values)] };
}

function message(values: object): DeclaredTranslations {
  return owner({ steps: [stepOf("S", [variationOf(values)])] });
}

function locale(...all: object[]): DeclaredTranslations {
  const locales = all.map((values) => ({ id: "", name: "es", country: "", language: "", ...values }));
  return { settings: { earlyAccess: undefined, enabled: undefined, locales }, owners: [] };
}

test.each([
  ["an id that is no UUID", owner({ id: "c" }), /UUID/],
  ["a name with blanks around it", owner({ name: " C" }), /name/],
  ["an unknown channel", message({ channel: "fax" }), /"fax"/],
  ["a locale that the workspace does not have", message({ locales: ["de"] }), /"de"/],
  ["texts that are too large with their ids", message({ source: new Map([["id_0", "x".repeat(limits.translationBytesMax)]]) }), /larger/],
  ["a text id with blanks", message({ source: new Map([["a b", ""]]) }), /text id/],
  ["steps of a campaign", owner({ kind: "campaign", steps: [{ id: "", name: "S", variations: [] }] }), /steps/],
  ["two of one name", owner({ steps: [{ id: "", name: "S", variations: [] }, { id: "", name: "S", variations: [] }] }), /two/],
  ["what is no locale", locale({ name: "Spanish" }), /locale/],
  ["a locale with the id of another name", locale({ name: "es-MX", id: ids.nobody }), /cannot change/],
  ["a name that another id has", owner({ name: "Journey", id: ids.nobody }), /cannot change/],
  ["an id that another thing has", message({ id: ids.email }), /Two/],
  [
    "two that are one message there, by its id and by its name",
    owner({ name: "Journey", steps: [stepOf("First", [variationOf({ id: ids.stepEmail, name: "New" }), variationOf({})])] }),
    /Two message variations/,
  ],
  [
    "two that are one step there",
    owner({ name: "Journey", steps: [{ ...stepOf("New", []), id: ids.step }, stepOf("First", [])] }),
    /Two steps/,
  ],
  ["two that are one locale there", locale({ id: ids.spanish }, { name: "es-MX" }), /Two locales/],
  ["two that are one canvas there", { settings: undefined, owners: [canvasOf({ id: ids.canvas }), canvasOf({ name: "Journey" })] }, /Two/],
])("planDeclaration() refuses %s", (_what, declaration, text) => {
  expect(() => planDeclaration(there, declaration, options())).toThrow(text);
});
