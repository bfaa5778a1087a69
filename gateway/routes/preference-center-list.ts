/** GET /preference_center/v1/list (api-facts 6). */
import { centerTime } from "../render/preference-center.ts";
import type { Call, Parts, Reply } from "../route.ts";

export async function handlePreferenceCenterList(call: Call, { content }: Pick<Parts, "content">): Promise<Reply> {
  const { centers } = await content.listPreferenceCenters({ scope: call.scope }, call.reading);
  const listed = centers.map(({ id, name, createdAt, updatedAt }) => ({
    name,
    preference_center_api_id: id,
    created_at: centerTime(createdAt),
    updated_at: centerTime(updatedAt),
  }));
  return { body: JSON.stringify({ preference_centers: listed }), headers: [] };
}
