/** POST /users/merge: queues merges of two users each (specification, "POST /users/merge"; texts of api-facts 3). */
import { bodyFields } from "../decode/fields.ts";
import { mergeUpdatesOf } from "../decode/merge-updates.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** 202: a receipt; `job_id` asks GET /users/merge/status/{id} what came of it. */
export async function handleUsersMerge(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
  const updates = mergeUpdatesOf(bodyFields(call.body)["merge_updates"]);
  const response = await profile.mergeUsers({ scope: call.scope, updates });
  return success({ job_id: response.jobId }, response);
}
