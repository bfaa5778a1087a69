/** RPC MergeUsers: the answer is a receipt, GetMergeStatus reports what came of it. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type MergeUsersRequest,
  MergeUsersRequestSchema,
  type MergeUsersResponse,
  MergeUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type JobParts, submit } from "../intake/submit.ts";
import { checkSelector } from "../intake/user-key-message.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleMergeUsers(parts: JobParts, message: MergeUsersRequest): Promise<MergeUsersResponse> {
  const jobId = parts.newJobId();
  const answer = create(MergeUsersResponseSchema, { jobId });
  message.updates.flatMap(({ source, target }) => [source, target]).forEach(checkSelector);
  const written = await submit(parts, scopeOf(message), {
    body: { case: "mergeUsers", value: { jobId, updates: message.updates } },
    mark: markOfMessage(MergeUsersRequestSchema, message, repeatedWith(MergeUsersResponseSchema, answer)),
  });
  return answered(MergeUsersResponseSchema, answer, written);
}
