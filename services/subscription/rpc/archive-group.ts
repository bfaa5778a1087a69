/** RPC ArchiveGroup. */
import { create } from "@bufbuild/protobuf";
import {
  type ArchiveGroupRequest,
  type ArchiveGroupResponse,
  ArchiveGroupResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { archivedGroup } from "../domain/group.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { groupToMessage } from "./request.ts";

export async function handleArchiveGroup(
  { store, changeGroups }: ServiceParts,
  message: ArchiveGroupRequest,
): Promise<ArchiveGroupResponse> {
  const scope = scopeOf(message);
  const id = message.subscriptionGroupId;
  await changeGroups(scope, { type: "archive", id });
  return create(ArchiveGroupResponseSchema, { group: groupToMessage(archivedGroup(await store.groups(scope.workspaceId), id)) });
}
