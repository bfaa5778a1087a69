/** RPC IdentifyUsers: the answer is a receipt, GetMergeStatus reports what came of it. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type IdentifyUsersRequest,
  IdentifyUsersRequestSchema,
  type IdentifyUsersResponse,
  IdentifyUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type JobParts, submit } from "../intake/submit.ts";
import { checkSelector } from "../intake/user-key-message.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleIdentifyUsers(parts: JobParts, message: IdentifyUsersRequest): Promise<IdentifyUsersResponse> {
  const jobId = parts.newJobId();
  const answer = create(IdentifyUsersResponseSchema, { jobId });
  message.identifications.map(({ user }) => user).forEach(checkSelector);
  const written = await submit(parts, scopeOf(message), {
    body: { case: "identifyUsers", value: { jobId, identifications: message.identifications } },
    mark: markOfMessage(IdentifyUsersRequestSchema, message, repeatedWith(IdentifyUsersResponseSchema, answer)),
  });
  return answered(IdentifyUsersResponseSchema, answer, written);
}
