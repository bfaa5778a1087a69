/** The parts of a declaration that the content service owns: languages, campaigns and canvases with their messages. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  MessageOwnerKind,
  type MessageStepSchema,
  type MessageVariationSchema,
  type TextSchema,
  type TranslationSettingsSchema,
} from "../../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { readItem, refuseTwice } from "./declaration-holders.ts";
import type { DeclarationReader, Place } from "./declaration-reader.ts";
import type { DeclaredMessages } from "./declared.ts";

type Locale = NonNullable<MessageInitShape<typeof TranslationSettingsSchema>["locales"]>[number];
type Owner = DeclaredMessages["owners"][number];
type Step = MessageInitShape<typeof MessageStepSchema>;
type Variation = MessageInitShape<typeof MessageVariationSchema>;
type Text = MessageInitShape<typeof TextSchema>;

/** Fields of a workspace. */
export const messageFields = ["translations", "campaigns", "canvases"];

/** Undefined where the workspace has none of the fields. What the service checks is not checked here, but lines are known here alone. */
export function readMessages(reader: DeclarationReader, fields: ReadonlyMap<string, Place>): DeclaredMessages | undefined {
  if (!messageFields.some((name) => fields.has(name))) return undefined;
  const settings = fields.get("translations");
  return {
    settings: settings && readSettings(reader, settings),
    owners: [
      ...reader.items(fields.get("campaigns")).map((item) => readCampaign(reader, item)),
      ...reader.items(fields.get("canvases")).map((item) => readCanvas(reader, item)),
    ],
  };
}

function readSettings(reader: DeclarationReader, place: Place): NonNullable<DeclaredMessages["settings"]> {
  const fields = reader.fields(place, ["earlyAccess", "enabled", "locales"]);
  const [earlyAccess, enabled] = ["earlyAccess", "enabled"].map((name) => {
    const field = fields.get(name);
    return field && reader.flag(field);
  });
  return {
    ...(earlyAccess === undefined ? {} : { earlyAccess }),
    ...(enabled === undefined ? {} : { enabled }),
    locales: reader.items(fields.get("locales")).map((item) => readLocale(reader, item)),
  };
}

/** The name alone, or a mapping. */
function readLocale(reader: DeclarationReader, item: Place): Locale {
  if (!reader.isMapping(item)) return { id: "", name: reader.text(item) ?? "", country: "", language: "" };
  const fields = reader.fields(item, ["id", "name", "country", "language"]);
  const [country, language] = ["country", "language"].map((name) => {
    const field = fields.get(name);
    return field && reader.text(field);
  });
  return { ...readNamed(reader, item, fields), country: country ?? "", language: language ?? "" };
}

function readCampaign(reader: DeclarationReader, item: Place): Owner {
  const fields = reader.fields(item, ["id", "name", "variations"]);
  const variations = readVariations(reader, fields.get("variations"));
  return {
    kind: MessageOwnerKind.CAMPAIGN,
    ...readNamed(reader, item, fields),
    steps: fields.has("variations") ? [{ id: "", name: "", variations }] : [],
  };
}

function readCanvas(reader: DeclarationReader, item: Place): Owner {
  const fields = reader.fields(item, ["id", "name", "steps"]);
  const steps = reader.items(fields.get("steps")).map((step): Step & { line: number; name: string } => {
    const stepFields = reader.fields(step, ["id", "name", "variations"]);
    const named = { line: step.line, ...readNamed(reader, step, stepFields) };
    return { ...named, variations: readVariations(reader, stepFields.get("variations")) };
  });
  refuseTwice(reader, steps, { what: "step", by: ({ name }) => name });
  return { kind: MessageOwnerKind.CANVAS, ...readNamed(reader, item, fields), steps: steps.map(({ line: _line, ...step }) => step) };
}

function readVariations(reader: DeclarationReader, place: Place | undefined): Variation[] {
  const found = reader.items(place).map((item) => {
    const fields = reader.fields(item, ["id", "name", "channel", "locales", "source"]);
    const [channel, locales, source] = [fields.get("channel"), fields.get("locales"), fields.get("source")];
    if (!channel) reader.refuse(item, `a message variation has no "channel"; only email can be translated`);
    return {
      line: item.line,
      ...readNamed(reader, item, fields),
      channel: (channel && reader.text(channel)) ?? "",
      ...(locales && { locales: { names: reader.items(locales).map((locale) => reader.text(locale) ?? "") } }),
      ...(source && { source: { texts: readTexts(reader, source) } }),
    };
  });
  refuseTwice(reader, found, { what: "message variation", by: ({ name }) => name });
  return found.map(({ line: _line, ...variation }) => variation);
}

function readTexts(reader: DeclarationReader, place: Place): Text[] {
  return [...reader.entries(place)].map(([id, text]) => ({ id, text: reader.text(text) ?? "" }));
}

function readNamed(reader: DeclarationReader, item: Place, fields: ReadonlyMap<string, Place>): { id: string; name: string } {
  const { id = "", name } = readItem(reader, item, fields);
  const place = fields.get("id");
  if (place && id !== "" && !/^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)) {
    reader.refuse(place, `"id" must be a UUID, not "${id}"`);
  }
  return { id, name };
}
