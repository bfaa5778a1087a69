/** PUT and POST /preference_center/v1/{id}: a new version. A name in the body does not rename (api-facts 6). */
import { bodyFields } from "../decode/fields.ts";
import { centerContentOf } from "../decode/preference-center.ts";
import { centerTime } from "../render/preference-center.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handlePreferenceCenterUpdate(call: Call, { content }: Pick<Parts, "content">): Promise<Reply> {
  const { center, warnings, replayed } = await content.updatePreferenceCenter({
    scope: call.scope,
    id: call.params.get("id") ?? "",
    content: centerContentOf(bodyFields(call.body)),
  });
  return success({
    preference_center_api_id: center?.id,
    created_at: centerTime(center?.createdAt),
    updated_at: centerTime(center?.updatedAt),
    ...(warnings.length === 0 ? {} : { warnings }),
  }, { position: "", replayed });
}
