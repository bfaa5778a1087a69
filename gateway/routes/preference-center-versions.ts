/** The versions of a preference center, an extension: list, one, difference, restore. */
import { queryOf, wholeOf } from "../decode/query.ts";
import { invalid } from "../decode/fields.ts";
import { limits } from "../../platform/limits.ts";
import { centerTime, contentJson, versionJson } from "../render/preference-center.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

type Content = Pick<Parts, "content">;

/** GET /preference_center/v1/{id}/versions: the newest first; `before` and `limit` page. */
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
  const { center, replayed } = await content.restorePreferenceCenterVersion({
    scope: call.scope,
    id: idOf(call),
    version: versionOf(call),
  });
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
