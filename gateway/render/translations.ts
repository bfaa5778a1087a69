/** Translations as JSON: maps of texts, and languages under their older and newer names (api-facts 7). */
import type { Locale, Text, Translation } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";

/** An element of `translations`. In a list it says which message it is of, as an extension. */
export function translationBody({ stepId, messageVariationId, locale, texts }: Translation): Readonly<Record<string, unknown>> {
  return {
    ...(stepId === "" ? {} : { step_id: stepId }),
    ...(messageVariationId === "" ? {} : { message_variation_id: messageVariationId }),
    translation_map: translationMap(texts),
    locale: localeBody(locale),
  };
}

/** Also for ids that are names of the language: fromEntries() defines, it does not assign. */
export function translationMap(texts: readonly Text[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map(({ id, text }) => [id, text]));
}

function localeBody(locale: Locale | undefined): Readonly<Record<string, string>> {
  const { id = "", name = "", country = "", language = "" } = locale ?? {};
  return { uuid: id, name, country, language, locale_key: name.toLowerCase() };
}
