/** /canvas/translations: as for campaigns, with `workflow_id` and `step_id` (api-facts 7). */
import { translationPutOf, translationQuestionOf } from "../decode/translations.ts";
import { translationBody, translationMap } from "../render/translations.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

type Translations = Pick<Parts, "translations">;

/** GET: one message in one language with `locale_id`, without it every language of every message that is named. */
export async function handleCanvasTranslations(call: Call, { translations }: Translations): Promise<Reply> {
  const asked = translationQuestionOf("canvas", call.query);
  const answer = await translations.listTranslations({ scope: call.scope, ...asked }, call.reading);
  return success({ translations: answer.translations.map(translationBody) });
}

/** GET .../source: what there is to translate. */
export async function handleCanvasTranslationsSource(call: Call, { translations }: Translations): Promise<Reply> {
  const { question } = translationQuestionOf("canvas", call.query);
  const { texts } = await translations.getSource({ scope: call.scope, question }, call.reading);
  return success({ translations: { translation_map: translationMap(texts) } });
}

/** PUT: every text of one message in one language. */
export async function handleCanvasTranslationsPut(call: Call, { translations }: Translations): Promise<Reply> {
  const { replayed } = await translations.putTranslation({ scope: call.scope, ...translationPutOf("canvas", call) });
  return success({}, { position: "", replayed });
}
