/** RPC DeclareGroups: applying a declaration twice changes nothing the second time. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type DeclareGroupsRequest,
  type DeclareGroupsResponse,
  DeclareGroupsResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { groupFromMessage, groupToMessage } from "./request.ts";

export async function handleDeclareGroups(
  { store, changeGroups }: ServiceParts,
  message: DeclareGroupsRequest,
): Promise<DeclareGroupsResponse> {
  const scope = scopeOf(message);
  const declared = message.groups.map(groupFromMessage);
  if (declared.some(({ id }) => id === "")) throw new Refusal("INPUT_INVALID", "Expected an id for every subscription group");
  await changeGroups(scope, { type: "declare", groups: declared, prune: message.prune });
  return create(DeclareGroupsResponseSchema, { groups: (await store.groups(scope.workspaceId)).map(groupToMessage) });
}
