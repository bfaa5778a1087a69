/** RPC MergeUsers: the answer is a receipt, GetMergeStatus tells what came of it. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type MergeUsersRequest,
  MergeUsersRequestSchema,
  type MergeUsersResponse,
  MergeUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { mergeUsers } from "../domain/merge-users.ts";
import type { JobParts } from "./job-parts.ts";
import { mergeUpdateFromMessage } from "../intake/body-message.ts";
import { answered, writeOf } from "./request.ts";

export async function handleMergeUsers(parts: JobParts, message: MergeUsersRequest): Promise<MergeUsersResponse> {
  const jobId = parts.newJobId();
  const answer = create(MergeUsersResponseSchema, { jobId });
  const request = writeOf(
    { schema: MergeUsersRequestSchema, message },
    { schema: MergeUsersResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const updates = message.updates.map(mergeUpdateFromMessage);
  const written = await mergeUsers(parts, request, { type: "mergeUsers", jobId, updates });
  return answered(MergeUsersResponseSchema, answer, written);
}
