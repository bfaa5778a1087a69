/** POST /users/merge/preview: what a merge would make, without doing it. An extension. */
import { bodyFields, invalid } from "../decode/fields.ts";
import { mergeUpdatesOf } from "../decode/merge-updates.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** Takes the body of /users/merge with one update: `would_merge` with the resulting `user`, or with the `reason` why not. */
export async function handleUsersMergePreview(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
  const [update, ...others] = mergeUpdatesOf(bodyFields(call.body)["merge_updates"]);
  if (update === undefined || others.length > 0) throw invalid("a preview takes exactly one merge update");
  const response = await profile.previewMerge({
    scope: call.scope,
    update,
    currencyRates: call.spent.permit.caller.holder.workspace.currencyRates,
  }, call.reading);
  const body = response.outcome === ""
    ? `{"would_merge":true,"user":${Buffer.from(response.resultJson).toString("utf8")},"message":"success"}`
    : JSON.stringify({ would_merge: false, reason: response.outcome, message: "success" });
  return { body, headers: [] };
}
