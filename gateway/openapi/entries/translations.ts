/** DATA: what is written by hand about the routes of translated campaigns and canvases. */
import type { Entry, Parameter } from "./entry.ts";
import { list, mapOf, object, type Schema, success, text } from "../schemas/schema.ts";

const locale = object({ uuid: text(), name: text("Such as `es-MX`."), country: text(), language: text(), locale_key: text() }, ["name"]);
const translationMap = mapOf(text(), "Text by id of the text.");
const translations = list(
  object({ step_id: text(), message_variation_id: text(), translation_map: translationMap, locale }, ["translation_map", "locale"]),
);
const reasons = ["NOT_FOUND", "FEATURE_NOT_ENABLED"] as const;

/** Of what examples/demo.yaml declares. */
const ids: Readonly<Record<string, string>> = {
  campaign_id: "55555555-5555-4555-8555-555555555550",
  workflow_id: "66666666-6666-4666-8666-666666666660",
  step_id: "66666666-6666-4666-8666-666666666661",
};
const locale_id = "77777777-7777-4777-8777-777777777777";
const shownLocale = { uuid: locale_id, name: "es-MX", country: "Mexico", language: "Spanish", locale_key: "es-mx" };
const translated = { id_0: "Hola" };

interface Kind {
  readonly path: string;
  readonly name: string;
  readonly ids: readonly string[];
  /** Those of the ids without which nothing is named. */
  readonly needed: readonly string[];
  readonly variation: string;
  readonly what: string;
}

const kinds: readonly Kind[] = [
  {
    path: "/campaigns/translations",
    name: "Campaign",
    ids: ["campaign_id", "message_variation_id"],
    needed: ["campaign_id"],
    variation: "55555555-5555-4555-8555-555555555551",
    what: "a campaign",
  },
  {
    path: "/canvas/translations",
    name: "Canvas",
    ids: ["workflow_id", "step_id", "message_variation_id"],
    needed: [],
    variation: "66666666-6666-4666-8666-666666666662",
    what: "a canvas",
  },
  {
    path: "/campaign/translations",
    name: "CampaignSingular",
    ids: ["campaign_id", "message_variation_id"],
    needed: ["campaign_id"],
    variation: "55555555-5555-4555-8555-555555555551",
    what: "a campaign (the path in the singular)",
  },
];

export const translationEntries: readonly Entry[] = kinds.flatMap((kind): readonly Entry[] => [
  {
    route: `GET ${kind.path as `/${string}`}/source`,
    operationId: `get${kind.name}Source`,
    tag: "Translations",
    summary: `What there is to translate in ${kind.what}`,
    parameters: idsOf(kind, [...kind.needed, "message_variation_id"]),
    answer: success({ translations: object({ translation_map: translationMap }, ["translation_map"]) }, ["translations"]),
    reasons,
    examples: [{
      name: "source",
      parameters: exampleIds(kind),
      answer: { translations: { translation_map: { id_0: "Hello" } }, message: "success" },
    }],
  },
  {
    route: `PUT ${kind.path as `/${string}`}`,
    operationId: `put${kind.name}Translation`,
    tag: "Translations",
    summary: `Translate a message of ${kind.what}`,
    description: "Every text of one message in one language. The ids may also stand in the query.",
    body: translationOf(kind),
    answer: success(),
    reasons,
    examples: [{ name: "Spanish", body: { ...exampleIds(kind), locale_id, translation_map: translated }, answer: { message: "success" } }],
  },
  {
    route: `GET ${kind.path as `/${string}`}`,
    operationId: `list${kind.name}Translations`,
    tag: "Translations",
    summary: `Translations of ${kind.what}`,
    description: "With `locale_id` one message in one language; without it every language of every message that is named, 22 MB at most.",
    parameters: [...idsOf(kind, kind.needed), {
      in: "query",
      name: "locale_id",
      description: "A language, by its id or name.",
      schema: text(),
    }],
    answer: success({ translations }, ["translations"]),
    reasons: [...reasons, "TOO_MANY_RESULTS"],
    examples: [{
      name: "one language",
      parameters: { ...exampleIds(kind), locale_id },
      answer: { translations: [{ translation_map: translated, locale: shownLocale }], message: "success" },
    }],
  },
]);

function exampleIds({ ids: names, variation }: Kind): Readonly<Record<string, string>> {
  return Object.fromEntries(names.map((name) => [name, ids[name] ?? variation]));
}

function idsOf({ ids, needed }: Kind, required: readonly string[]): readonly Parameter[] {
  const description = needed.length === 0 ? "A UUID; `workflow_id` or `step_id` is needed." : "A UUID.";
  return ids.map((name) => ({
    in: "query",
    name,
    description: name.startsWith("message") ? "A UUID; needed with `locale_id`." : description,
    ...(required.includes(name) ? { required: true } : {}),
    schema: text(),
  }));
}

function translationOf({ ids }: Kind): Schema {
  const named = Object.fromEntries(ids.map((name) => [name, text()]));
  return object({ ...named, locale_id: text("A language, by its id or name."), locale_name: text(), translation_map: translationMap }, [
    "translation_map",
  ]);
}
