/** RPC CreateGroup. */
import { create } from "@bufbuild/protobuf";
import {
  type CreateGroupRequest,
  type CreateGroupResponse,
  CreateGroupResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { createdGroup } from "../domain/group.ts";
import type { ServiceParts } from "./parts.ts";
import { groupFromMessage, groupToMessage, scopeOf } from "./request.ts";

export async function handleCreateGroup(parts: ServiceParts, message: CreateGroupRequest): Promise<CreateGroupResponse> {
  const { workspaceId } = scopeOf(message);
  const { id, ...wanted } = groupFromMessage(message.group);
  const group = { id: id === "" ? parts.newGroupId() : id, ...wanted, archived: false };
  await parts.store.changeGroups(workspaceId, (groups) => [createdGroup(groups, group)]);
  return create(CreateGroupResponseSchema, { group: groupToMessage(group) });
}
