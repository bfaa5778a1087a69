/** GET /preference_center/v1/{id}/url/{userID}: a person's own page; userID is the external id (api-facts 6). */
import type { Call, Parts, Reply } from "../route.ts";

export async function handlePreferenceCenterUrl(call: Call, parts: Pick<Parts, "content" | "pagesUrl">): Promise<Reply> {
  const { path } = await parts.content.createPreferencePageLink({
    scope: call.scope,
    id: call.params.get("id") ?? "",
    externalId: call.params.get("userID") ?? "",
  });
  return { body: JSON.stringify({ preference_center_url: `${parts.pagesUrl()}${path}` }), headers: [] };
}
