/** RPC AdmitUser: answered when this process takes data of the user again. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type AdmitUserRequest,
  AdmitUserRequestSchema,
  type AdmitUserResponse,
  AdmitUserResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { RejectedUsers } from "../domain/rejection.ts";
import { submitDecided, type WriteParts } from "../intake/submit.ts";
import { checkUserKey } from "../intake/user-key-message.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleAdmitUser(
  parts: WriteParts & { readonly rejected: RejectedUsers },
  message: AdmitUserRequest,
): Promise<AdmitUserResponse> {
  const answer = create(AdmitUserResponseSchema);
  checkUserKey(message.user);
  const written = await submitDecided(parts, scopeOf(message), {
    body: { case: "admitUser", value: { ...(message.user && { user: message.user }) } },
    mark: markOfMessage(AdmitUserRequestSchema, message, repeatedWith(AdmitUserResponseSchema, answer)),
  });
  const [item] = written.outcome.items ?? [];
  if (item !== undefined && !item.ok) throw new Refusal("NOT_FOUND", item.reason);
  await parts.rejected.look();
  return answered(AdmitUserResponseSchema, answer, written);
}
