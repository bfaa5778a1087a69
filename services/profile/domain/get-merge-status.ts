/** Use case: what became of the updates of a merge or identify request. */
import { Refusal } from "../../../platform/refusal.ts";
import { catchUp, type ReadParts, type ReadRequest } from "./catch-up.ts";
import type { JobOutcome, JobRow } from "./identity.ts";

/** One outcome an update, in the order of the request. Refuses NOT_FOUND for a job that no request of the workspace got. */
export async function getMergeStatus(
  parts: ReadParts,
  request: ReadRequest & { readonly jobId: string },
): Promise<readonly JobOutcome[]> {
  await catchUp(parts, request);
  const key = `j:${request.jobId}` as const;
  const row = (await parts.identities.load(request.workspaceId, [key])).get(key) as JobRow | undefined;
  if (row === undefined) throw new Refusal("NOT_FOUND", "Expected the job id of a merge, got one that is not known");
  return row.outcomes;
}
