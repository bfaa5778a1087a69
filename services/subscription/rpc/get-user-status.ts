/** RPC GetUserStatus. */
import { create } from "@bufbuild/protobuf";
import {
  type GetUserStatusRequest,
  type GetUserStatusResponse,
  GetUserStatusResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { profileUsers } from "../clients/profile-users.ts";
import { getUserStatus } from "../domain/get-user-status.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { groupToMessage, keyFromMessage, statusOf } from "./request.ts";

export async function handleGetUserStatus(parts: ServiceParts, message: GetUserStatusRequest): Promise<GetUserStatusResponse> {
  const scope = scopeOf(message);
  const { limit, offset } = message;
  const keys = message.users.map(keyFromMessage);
  const request = { ...scope, keys, limit, offset };
  const { users, total, behind } = await getUserStatus({ ...parts, users: profileUsers(parts.profile, scope) }, request);
  return create(GetUserStatusResponseSchema, {
    users: users.map(({ externalId, email, phone, groups }) => ({
      ...(externalId !== null && { externalId }),
      ...(email !== null && { email }),
      ...(phone !== null && { phone }),
      groups: groups.map(({ group, state }) => ({ group: groupToMessage(group), status: statusOf(state) })),
    })),
    totalCount: total,
    behind,
  });
}
