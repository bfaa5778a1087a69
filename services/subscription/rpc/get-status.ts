/** RPC GetStatus. */
import { create } from "@bufbuild/protobuf";
import {
  type GetStatusRequest,
  type GetStatusResponse,
  GetStatusResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { profileUsers } from "../clients/profile-users.ts";
import { getStatus } from "../domain/get-status.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { keyFromMessage, statusOf } from "./request.ts";

export async function handleGetStatus(parts: ServiceParts, message: GetStatusRequest): Promise<GetStatusResponse> {
  const scope = scopeOf(message);
  const { states, behind } = await getStatus({ ...parts, users: profileUsers(parts.profile, scope) }, {
    ...scope,
    groupId: message.subscriptionGroupId,
    keys: message.users.map(keyFromMessage),
  });
  return create(GetStatusResponseSchema, { statuses: states.map(statusOf), behind });
}
