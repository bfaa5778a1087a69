/** POST /preference_center/v1 (api-facts 6). */
import { bodyFields } from "../decode/fields.ts";
import { centerContentOf, requiredText } from "../decode/preference-center.ts";
import { centerTime } from "../render/preference-center.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handlePreferenceCenterCreate(call: Call, { content }: Pick<Parts, "content">): Promise<Reply> {
  const body = bodyFields(call.body);
  const answer = await content.createPreferenceCenter({
    scope: call.scope,
    name: requiredText(body, "name"),
    content: centerContentOf(body),
  });
  const { center, warnings, replayed } = answer;
  return success({
    preference_center_api_id: center?.id,
    liquid_tag: `{{preference_center.\${${center?.name}}}}`,
    created_at: centerTime(center?.createdAt),
    ...(warnings.length === 0 ? {} : { warnings }),
  }, { position: "", replayed });
}
