/** /users/merge: merges of two users each, what came of them, and how one is taken back (specification; api-facts 3). */
import { limits } from "../../platform/limits.ts";
import type { MergeOutcome } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { mergeUpdatesOf } from "../decode/merge-updates.ts";
import { success } from "../routing/reply.ts";
import type { Call, Deps, Reply } from "../routing/route.ts";

/** POST /users/merge: queues them. 202: a receipt; `job_id` asks GET /users/merge/status/{id} what came of it. */
export async function handleUsersMerge(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const updates = mergeUpdatesOf(bodyFields(call.body)["merge_updates"]);
  const response = await profile.mergeUsers({ scope: call.scope, updates });
  return success({ job_id: response.jobId }, response);
}

/**
 * GET /users/merge/status/{id}: what came of each update of a merge, and why nothing where nothing did. An extension.
 * An unknown job is a 404 of the service.
 */
export async function handleUsersMergeStatus(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const jobId = call.params.get("id") ?? "";
  const response = await profile.getMergeStatus({ scope: call.scope, jobId }, call.reading);
  return success({ job_id: jobId, merge_updates: response.outcomes.map(outcome) });
}

/** Members without a value are left out. */
function outcome({ index, status, reason, sourceUserId, targetUserId, undoUntil }: MergeOutcome): Readonly<Record<string, unknown>> {
  return {
    index,
    status,
    ...(reason === "" ? {} : { reason }),
    ...(sourceUserId === "" ? {} : { merged_platform_id: sourceUserId }),
    ...(targetUserId === "" ? {} : { kept_platform_id: targetUserId }),
    ...(undoUntil === 0n ? {} : { undo_until: new Date(Number(undoUntil)).toISOString() }),
  };
}

/**
 * POST /users/merge/preview: what a merge would make, without doing it. An extension.
 * Takes the body of /users/merge with one update: `would_merge` with the resulting `user`, or with the `reason` why not.
 */
export async function handleUsersMergePreview(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
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

/**
 * POST /users/merge/undo: takes one back. An extension.
 * `{job_id, index}`; the index of the update in its request is 0 where it is left out.
 */
export async function handleUsersMergeUndo(call: Call, { profile }: Pick<Deps, "profile">): Promise<Reply> {
  const { job_id: jobId, index } = bodyFields(call.body);
  if (typeof jobId !== "string" || jobId === "") throw invalid("'job_id' must be the id that /users/merge answered with");
  const place = isSent(index) ? index : 0;
  if (typeof place !== "number" || !Number.isInteger(place) || place < 0 || place >= limits.itemsPerRequestMax) {
    throw invalid(`'index' must be a whole number from 0 to ${limits.itemsPerRequestMax - 1}`);
  }
  return success({}, await profile.undoMerge({ scope: call.scope, jobId, index: place }));
}
