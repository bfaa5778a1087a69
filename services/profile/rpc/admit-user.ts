/** RPC AdmitUser: answered when the user is let in. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type AdmitUserRequest,
  AdmitUserRequestSchema,
  type AdmitUserResponse,
  AdmitUserResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { admitUser } from "../domain/admit-user.ts";
import type { RejectedUsers } from "../domain/rejection.ts";
import type { WriteParts } from "../domain/submit.ts";
import { userKeyFromMessage } from "../intake/user-key-message.ts";
import { answered, writeOf } from "./request.ts";

export async function handleAdmitUser(
  parts: WriteParts & { readonly rejected: RejectedUsers },
  message: AdmitUserRequest,
): Promise<AdmitUserResponse> {
  const answer = create(AdmitUserResponseSchema);
  const request = writeOf(
    { schema: AdmitUserRequestSchema, message },
    { schema: AdmitUserResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const written = await admitUser(parts, request, userKeyFromMessage(message.user));
  return answered(AdmitUserResponseSchema, answer, written);
}
