/** RPC ListRejectedUsers. */
import { create } from "@bufbuild/protobuf";
import {
  type ListRejectedUsersRequest,
  type ListRejectedUsersResponse,
  ListRejectedUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import { listRejected } from "../domain/list-rejected.ts";
import { readOf } from "./request.ts";

export async function handleListRejectedUsers(parts: ReadParts, message: ListRejectedUsersRequest): Promise<ListRejectedUsersResponse> {
  const { users, behind } = await listRejected(parts, readOf(message));
  return create(ListRejectedUsersResponseSchema, {
    users: users.map(({ id, externalId, aliases, counted, count, max }) => ({
      userId: id,
      ...(externalId !== null && { externalId }),
      aliases: [...aliases],
      counted,
      count: BigInt(count),
      max: BigInt(max),
    })),
    behind,
  });
}
