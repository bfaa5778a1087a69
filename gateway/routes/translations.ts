/**
 * /campaigns/translations and, as the specification spells it, /campaign/translations; /canvas/translations, with `workflow_id` and
 * `step_id` (api-facts 7).
 */
import type { Locale, Text, Translation } from "../../proto/gen/heddle/content/v1/translation_service_pb.ts";
import { type TranslatedKind, translationPutOf, translationQuestionOf } from "../decode/translations.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type Translations = Pick<Deps, "translations">;

export function translationHandlers(kind: TranslatedKind) {
  return {
    /** GET: one message in one language with `locale_id`, without it every language of every message that is named. */
    async list({ scope, query, reading }: Call, { translations }: Translations): Promise<Reply> {
      const answer = await translations.listTranslations({ scope, ...translationQuestionOf(kind, query) }, reading);
      return success({ translations: answer.translations.map(translationBody) });
    },
    /** GET .../source: what there is to translate. */
    async source({ scope, query, reading }: Call, { translations }: Translations): Promise<Reply> {
      const { question } = translationQuestionOf(kind, query);
      const { texts } = await translations.getSource({ scope, question }, reading);
      return success({ translations: { translation_map: translationMap(texts) } });
    },
    /** PUT: every text of one message in one language. */
    async put(call: Call, { translations }: Translations): Promise<Reply> {
      const { replayed } = await translations.putTranslation({ scope: call.scope, ...translationPutOf(kind, call) });
      return success({}, { position: "", replayed });
    },
  };
}

/** An element of `translations`. In a list it says which message it is of, as an extension. */
function translationBody({ stepId, messageVariationId, locale, texts }: Translation): Readonly<Record<string, unknown>> {
  return {
    ...(stepId === "" ? {} : { step_id: stepId }),
    ...(messageVariationId === "" ? {} : { message_variation_id: messageVariationId }),
    translation_map: translationMap(texts),
    locale: localeBody(locale),
  };
}

/** Also for ids that are names of the language: fromEntries() defines, it does not assign. */
function translationMap(texts: readonly Text[]): Readonly<Record<string, string>> {
  return Object.fromEntries(texts.map(({ id, text }) => [id, text]));
}

/** Under the older and newer names of its parts. */
function localeBody(locale: Locale | undefined): Readonly<Record<string, string>> {
  const { id = "", name = "", country = "", language = "" } = locale ?? {};
  return { uuid: id, name, country, language, locale_key: name.toLowerCase() };
}
