/** RPC IdentifyUsers: the answer is a receipt, GetMergeStatus tells what came of it. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type IdentifyUsersRequest,
  IdentifyUsersRequestSchema,
  type IdentifyUsersResponse,
  IdentifyUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { identifyUsers } from "../domain/identify-users.ts";
import type { JobParts } from "./job-parts.ts";
import { identificationFromMessage } from "../intake/body-message.ts";
import { answered, writeOf } from "./request.ts";

export async function handleIdentifyUsers(parts: JobParts, message: IdentifyUsersRequest): Promise<IdentifyUsersResponse> {
  const jobId = parts.newJobId();
  const answer = create(IdentifyUsersResponseSchema, { jobId });
  const request = writeOf(
    { schema: IdentifyUsersRequestSchema, message },
    { schema: IdentifyUsersResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const identifications = message.identifications.map(identificationFromMessage);
  const written = await identifyUsers(parts, request, { type: "identifyUsers", jobId, identifications });
  return answered(IdentifyUsersResponseSchema, answer, written);
}
