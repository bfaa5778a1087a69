/** RPC ResolveUsers. */
import { create } from "@bufbuild/protobuf";
import {
  type ResolveUsersRequest,
  type ResolveUsersResponse,
  ResolveUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import type { UserRow } from "../domain/identity.ts";
import { resolveUsers } from "../domain/resolve-users.ts";
import { userKeyFromMessage } from "../intake/user-key-message.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { readOf } from "./request.ts";

export async function handleResolveUsers(parts: ReadParts, message: ResolveUsersRequest): Promise<ResolveUsersResponse> {
  const users = message.users.map(userKeyFromMessage);
  const { found, behind, end } = await resolveUsers(parts, { ...readOf(message), users });
  return create(ResolveUsersResponseSchema, {
    keys: found.map((rows) => ({ users: rows.map(toMessage) })),
    behind,
    end: positionToToken(end),
  });
}

function toMessage({ id, externalId, email, phone }: UserRow) {
  return {
    userId: id,
    ...(externalId !== null && { externalId }),
    ...(email !== null && { email }),
    ...(phone !== null && { phone }),
  };
}
