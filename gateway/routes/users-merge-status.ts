/** GET /users/merge/status/{id}: what came of each update of a merge, and why nothing where nothing did. An extension. */
import type { MergeOutcome } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** An unknown job is a 404 of the service. */
export async function handleUsersMergeStatus(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
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
