/** GET /preference_center/v1/{id}: the fields of the specification and no other. */
import { centerTime, contentJson } from "../render/preference-center.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handlePreferenceCenterGet(call: Call, { content }: Pick<Parts, "content">): Promise<Reply> {
  const { center } = await content.getPreferenceCenter({ scope: call.scope, id: call.params.get("id") ?? "" }, call.reading);
  const body = {
    name: center?.name,
    preference_center_api_id: center?.id,
    created_at: centerTime(center?.createdAt),
    updated_at: centerTime(center?.updatedAt),
    ...contentJson(center?.content),
  };
  return { body: JSON.stringify(body), headers: [] };
}
