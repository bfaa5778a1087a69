/** RPC DeleteUsers. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import {
  type DeleteUsersRequest,
  DeleteUsersRequestSchema,
  type DeleteUsersResponse,
  DeleteUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { deleteUsers } from "../domain/delete-users.ts";
import type { WriteParts } from "../domain/submit.ts";
import { selectorFromMessage } from "../intake/user-key-message.ts";
import { answered, writeOf } from "./request.ts";

export async function handleDeleteUsers(parts: WriteParts, message: DeleteUsersRequest): Promise<DeleteUsersResponse> {
  const answer = create(DeleteUsersResponseSchema, { deleted: message.users.length });
  const request = writeOf(
    { schema: DeleteUsersRequestSchema, message },
    { schema: DeleteUsersResponseSchema, message: answer, keepMs: limits.idempotencyKeepMs },
  );
  const users = message.users.map(selectorFromMessage);
  const written = await deleteUsers(parts, request, { type: "deleteUsers", users });
  return answered(DeleteUsersResponseSchema, answer, written);
}
