/** RPC CreateGroup. */
import { create } from "@bufbuild/protobuf";
import {
  type CreateGroupRequest,
  type CreateGroupResponse,
  CreateGroupResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { groupFromMessage, groupToMessage } from "./request.ts";

export async function handleCreateGroup(parts: ServiceParts, message: CreateGroupRequest): Promise<CreateGroupResponse> {
  const scope = scopeOf(message);
  const { id, ...wanted } = groupFromMessage(message.group);
  const group = { id: id === "" ? parts.newGroupId() : id, ...wanted };
  await parts.changeGroups(scope, { type: "create", group });
  return create(CreateGroupResponseSchema, { group: groupToMessage({ ...group, archived: false }) });
}
