/** Translations as messages and back. */
import { numbersOf } from "../../../platform/enum-names.ts";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type DeclareTranslationsRequest,
  type MessageOwner as OwnerMessage,
  MessageOwnerKind,
  type MessageQuestion as QuestionMessage,
  type MessageVariation,
  type Text,
} from "../../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import type { DeclaredOwner, DeclaredTranslations, DeclaredVariation } from "../domain/declared-translations.ts";
import type { MessageQuestion } from "../domain/find-messages.ts";
import type { MissingTexts } from "../domain/list-missing-texts.ts";
import type { FoundTranslation } from "../domain/read-translations.ts";
import type { Locale, MessageOwner, OwnerKind, Texts, Variation } from "../domain/translation.ts";
import type { Declared } from "../domain/translation-ports.ts";

/** UUIDs are compared in lower case. */
export function questionFromMessage(message: QuestionMessage | undefined): MessageQuestion {
  const { ownerId = "", stepId = "", messageVariationId = "" } = message ?? {};
  return {
    kind: kindFromMessage(message?.kind),
    ownerId: ownerId.toLowerCase(),
    stepId: stepId.toLowerCase(),
    messageId: messageVariationId.toLowerCase(),
  };
}

export function textsFromMessage(texts: readonly Text[]): Texts {
  const found = new Map(texts.map(({ id, text }) => [id, text]));
  if (found.size < texts.length) throw new Refusal("INPUT_INVALID", "Expected each text id once");
  return found;
}

export function textsToMessage(texts: Texts) {
  return [...texts].map(([id, text]) => ({ id, text }));
}

/** Names the message where the question did not. */
export function translationToMessage({ message, locale, texts }: FoundTranslation, asked: { readonly message: boolean }) {
  const { stepId, variation } = message;
  return {
    ...(asked.message ? {} : { messageVariationId: variation.id, stepId }),
    locale: localeToMessage(locale),
    texts: textsToMessage(texts),
  };
}

export function declarationFromMessage({ settings, owners }: DeclareTranslationsRequest): DeclaredTranslations {
  return {
    settings: settings && { earlyAccess: settings.earlyAccess, enabled: settings.enabled, locales: settings.locales },
    owners: owners.map(ownerFromMessage),
  };
}

/** `sources` by id of the message; undefined: the answer has none. */
export function declaredToMessage({ settings, owners }: Declared, sources: ReadonlyMap<string, Texts> | undefined) {
  const names = new Map((settings?.locales ?? []).map(({ id, name }) => [id, name]));
  return {
    ...(settings && { settings: { ...settings, locales: settings.locales.map(localeToMessage) } }),
    owners: owners.map((owner) => ownerToMessage(owner, (variation) => variationToMessage(variation, { names, sources }))),
  };
}

export function missingToMessage({ owner, step, variation, locale, textIds }: MissingTexts) {
  return {
    kind: kindNumbers[owner.kind],
    ownerId: owner.id,
    ownerName: owner.name,
    stepId: step.id,
    stepName: step.name,
    messageVariationId: variation.id,
    messageVariationName: variation.name,
    locale: localeToMessage(locale),
    textIds: [...textIds],
  };
}

function localeToMessage({ id, name, country, language }: Locale) {
  return { id, name, country, language };
}

function ownerFromMessage({ kind, id, name, steps }: OwnerMessage): DeclaredOwner {
  return {
    kind: kindFromMessage(kind),
    id,
    name,
    steps: steps.map((step) => ({ id: step.id, name: step.name, variations: step.variations.map(variationFromMessage) })),
  };
}

function variationFromMessage({ id, name, channel, locales, source }: MessageVariation): DeclaredVariation {
  return { id, name, channel, locales: locales?.names, source: source && textsFromMessage(source.texts) };
}

function ownerToMessage(
  { kind, id, name, steps }: MessageOwner,
  toMessage: (variation: Variation) => ReturnType<typeof variationToMessage>,
) {
  return {
    kind: kindNumbers[kind],
    id,
    name,
    steps: steps.map((step) => ({ id: step.id, name: step.name, variations: step.variations.map(toMessage) })),
  };
}

function variationToMessage(
  { id, name, channel, localeIds }: Variation,
  { names, sources }: { readonly names: ReadonlyMap<string, string>; readonly sources: ReadonlyMap<string, Texts> | undefined },
) {
  const locales = { names: localeIds.map((localeId) => names.get(localeId) ?? "").filter((localeName) => localeName !== "") };
  return { id, name, channel, locales, ...(sources && { source: { texts: textsToMessage(sources.get(id) ?? new Map()) } }) };
}

/** Refuses INPUT_INVALID for anything but a campaign and a canvas. */
function kindFromMessage(kind: MessageOwnerKind | undefined): OwnerKind {
  if (kind === MessageOwnerKind.CAMPAIGN) return "campaign";
  if (kind === MessageOwnerKind.CANVAS) return "canvas";
  throw new Refusal("INPUT_INVALID", "Expected a campaign or a canvas");
}

const kindNumbers = numbersOf(MessageOwnerKind);
