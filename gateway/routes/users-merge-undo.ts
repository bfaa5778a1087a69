/** POST /users/merge/undo: takes one merge back. An extension. */
import { limits } from "../../platform/limits.ts";
import { bodyFields, invalid, isSent } from "../decode/fields.ts";
import { success } from "../reply.ts";
import type { Call, Parts, Reply } from "../route.ts";

/** `{job_id, index}`; the index of the update in its request is 0 where it is left out. */
export async function handleUsersMergeUndo(call: Call, { profile }: Pick<Parts, "profile">): Promise<Reply> {
  const { job_id: jobId, index } = bodyFields(call.body);
  if (typeof jobId !== "string" || jobId === "") throw invalid("'job_id' must be the id that /users/merge answered with");
  const place = isSent(index) ? index : 0;
  if (typeof place !== "number" || !Number.isInteger(place) || place < 0 || place >= limits.itemsPerRequestMax) {
    throw invalid(`'index' must be a whole number from 0 to ${limits.itemsPerRequestMax - 1}`);
  }
  return success({}, await profile.undoMerge({ scope: call.scope, jobId, index: place }));
}
