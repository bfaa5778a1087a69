/** RPC ListGroups. */
import { create } from "@bufbuild/protobuf";
import {
  type ListGroupsRequest,
  type ListGroupsResponse,
  ListGroupsResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { groupToMessage } from "./request.ts";

export async function handleListGroups({ store }: ServiceParts, message: ListGroupsRequest): Promise<ListGroupsResponse> {
  return create(ListGroupsResponseSchema, { groups: (await store.groups(scopeOf(message).workspaceId)).map(groupToMessage) });
}
