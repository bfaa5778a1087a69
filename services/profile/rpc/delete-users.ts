/** RPC DeleteUsers. */
import { create } from "@bufbuild/protobuf";
import { markOfMessage } from "../../../platform/intake/idempotency.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type DeleteUsersRequest,
  DeleteUsersRequestSchema,
  type DeleteUsersResponse,
  DeleteUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submit, type WriteParts } from "../intake/submit.ts";
import { checkSelector } from "../intake/user-key-message.ts";
import { answered, repeatedWith } from "./request.ts";

export async function handleDeleteUsers(parts: WriteParts, message: DeleteUsersRequest): Promise<DeleteUsersResponse> {
  const answer = create(DeleteUsersResponseSchema, { deleted: message.users.length });
  message.users.forEach(checkSelector);
  const written = await submit(parts, scopeOf(message), {
    body: { case: "deleteUsers", value: { users: message.users } },
    mark: markOfMessage(DeleteUsersRequestSchema, message, repeatedWith(DeleteUsersResponseSchema, answer)),
  });
  return answered(DeleteUsersResponseSchema, answer, written);
}
