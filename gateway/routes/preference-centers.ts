/** /preference_center/v1: preference centers, their versions, drafts and links (api-facts 6). */
import { limits } from "../../platform/limits.ts";
import { bodyFields, checkNoFields, invalid } from "../decode/fields.ts";
import { centerContentOf, requiredText } from "../decode/preference-center.ts";
import { queryOf, wholeOf } from "../decode/query.ts";
import { centerTime, contentJson, versionJson } from "../render/preference-center.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

type Content = Pick<Deps, "content">;

/** GET /preference_center/v1/list */
export async function handlePreferenceCenterList(call: Call, { content }: Content): Promise<Reply> {
  const { centers } = await content.listPreferenceCenters({ scope: call.scope }, call.reading);
  const listed = centers.map(({ id, name, createdAt, updatedAt }) => ({
    name,
    preference_center_api_id: id,
    created_at: centerTime(createdAt),
    updated_at: centerTime(updatedAt),
  }));
  return { body: JSON.stringify({ preference_centers: listed }), headers: [] };
}

/** GET /preference_center/v1/{id}: the fields of the specification and no other. */
export async function handlePreferenceCenterGet(call: Call, { content }: Content): Promise<Reply> {
  const { center } = await content.getPreferenceCenter({ scope: call.scope, id: idOf(call) }, call.reading);
  const body = {
    name: center?.name,
    preference_center_api_id: center?.id,
    created_at: centerTime(center?.createdAt),
    updated_at: centerTime(center?.updatedAt),
    ...contentJson(center?.content),
  };
  return { body: JSON.stringify(body), headers: [] };
}

/** POST /preference_center/v1 */
export async function handlePreferenceCenterCreate(call: Call, { content }: Content): Promise<Reply> {
  const body = bodyFields(call.body);
  const wanted = { scope: call.scope, name: requiredText(body, "name"), content: centerContentOf(body) };
  const { center, warnings, replayed } = await content.createPreferenceCenter(wanted);
  return success({
    preference_center_api_id: center?.id,
    liquid_tag: `{{preference_center.\${${center?.name}}}}`,
    created_at: centerTime(center?.createdAt),
    ...(warnings.length === 0 ? {} : { warnings }),
  }, { position: "", replayed });
}

/** PUT and POST /preference_center/v1/{id}: a new version. A name in the body does not rename. */
export async function handlePreferenceCenterUpdate(call: Call, { content }: Content): Promise<Reply> {
  const wanted = { scope: call.scope, id: idOf(call), content: centerContentOf(bodyFields(call.body)) };
  const { center, warnings, replayed } = await content.updatePreferenceCenter(wanted);
  return success({
    preference_center_api_id: center?.id,
    created_at: centerTime(center?.createdAt),
    updated_at: centerTime(center?.updatedAt),
    ...(warnings.length === 0 ? {} : { warnings }),
  }, { position: "", replayed });
}

/** GET /preference_center/v1/{id}/url/{userID}: a person's own page; userID is the external id. */
export async function handlePreferenceCenterUrl(call: Call, deps: Pick<Deps, "content" | "pagesUrl">): Promise<Reply> {
  const { path } = await deps.content.createPreferencePageLink({
    scope: call.scope,
    id: idOf(call),
    externalId: call.params.get("userID") ?? "",
  });
  return { body: JSON.stringify({ preference_center_url: `${deps.pagesUrl()}${path}` }), headers: [] };
}

/** POST /preference_center/v1/{id}/preview, an extension: the pages of a draft for a person who is made up; nothing is written. */
export async function handlePreferenceCenterPreview(call: Call, { content }: Content): Promise<Reply> {
  const draft = { scope: call.scope, id: idOf(call), content: centerContentOf(bodyFields(call.body)) };
  const { pageHtml, answerHtml, warnings } = await content.previewPreferenceCenter(draft, call.reading);
  return success({ page_html: pageHtml, answer_html: answerHtml, warnings });
}

/** GET /preference_center/v1/{id}/versions, an extension as what follows: the newest first; `before` and `limit` page. */
export async function handlePreferenceCenterVersions(call: Call, { content }: Content): Promise<Reply> {
  const query = queryOf(call.query);
  const { versions } = await content.listPreferenceCenterVersions({
    scope: call.scope,
    id: idOf(call),
    before: wholeOf(query, "before", { min: 1, max: versionMax, fallback: 0 }),
    limit: wholeOf(query, "limit", { min: 1, max: limits.preferenceVersionsPageMax, fallback: limits.preferenceVersionsPageMax }),
  }, call.reading);
  return success({ versions: versions.map(versionJson) });
}

/** GET /preference_center/v1/{id}/versions/{version} */
export async function handlePreferenceCenterVersion(call: Call, { content }: Content): Promise<Reply> {
  const found = await content.getPreferenceCenterVersion({ scope: call.scope, id: idOf(call), version: versionOf(call) }, call.reading);
  return success({ ...versionJson(found.version), ...contentJson(found.content) });
}

/** GET /preference_center/v1/{id}/versions/{version}/diff: from `from`, or the version before. */
export async function handlePreferenceCenterDiff(call: Call, { content }: Content): Promise<Reply> {
  const to = versionOf(call);
  const from = wholeOf(queryOf(call.query), "from", { min: 1, max: versionMax, fallback: Math.max(1, to - 1) });
  const { fields } = await content.diffPreferenceCenterVersions({ scope: call.scope, id: idOf(call), from, to }, call.reading);
  return success({ from, to, fields: fields.map(({ field, unified }) => ({ field, unified })) });
}

/** POST /preference_center/v1/{id}/versions/{version}/restore */
export async function handlePreferenceCenterRestore(call: Call, { content }: Content): Promise<Reply> {
  checkNoFields(call.body);
  const wanted = { scope: call.scope, id: idOf(call), version: versionOf(call) };
  const { center, replayed } = await content.restorePreferenceCenterVersion(wanted);
  const body = { preference_center_api_id: center?.id, version: center?.version, updated_at: centerTime(center?.updatedAt) };
  return success(body, { position: "", replayed });
}

const versionMax = 999_999_999;

function idOf({ params }: Call): string {
  return params.get("id") ?? "";
}

function versionOf({ params }: Call): number {
  const text = params.get("version") ?? "";
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw invalid("The version in the path must be a whole number from 1");
}
