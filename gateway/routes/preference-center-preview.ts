/** POST /preference_center/v1/{id}/preview, an extension: the pages of a draft for a person who is made up; nothing is written. */
import { bodyFields } from "../decode/fields.ts";
import { centerContentOf } from "../decode/preference-center.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handlePreferenceCenterPreview(call: Call, { content }: Pick<Parts, "content">): Promise<Reply> {
  const draft = { scope: call.scope, id: call.params.get("id") ?? "", content: centerContentOf(bodyFields(call.body)) };
  const { pageHtml, answerHtml, warnings } = await content.previewPreferenceCenter(draft, call.reading);
  return success({ page_html: pageHtml, answer_html: answerHtml, warnings });
}
