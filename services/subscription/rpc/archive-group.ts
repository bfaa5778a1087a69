/** RPC ArchiveGroup. */
import { create } from "@bufbuild/protobuf";
import {
  type ArchiveGroupRequest,
  type ArchiveGroupResponse,
  ArchiveGroupResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { archivedGroup } from "../domain/group.ts";
import type { ServiceParts } from "./parts.ts";
import { groupToMessage, scopeOf } from "./request.ts";

export async function handleArchiveGroup({ store }: ServiceParts, message: ArchiveGroupRequest): Promise<ArchiveGroupResponse> {
  const { workspaceId } = scopeOf(message);
  const id = message.subscriptionGroupId;
  await store.changeGroups(workspaceId, (groups) => [archivedGroup(groups, id)]);
  return create(ArchiveGroupResponseSchema, { group: groupToMessage(archivedGroup(await store.groups(workspaceId), id)) });
}
