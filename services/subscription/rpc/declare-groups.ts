/** RPC DeclareGroups: applying a declaration twice changes nothing the second time. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type DeclareGroupsRequest,
  type DeclareGroupsResponse,
  DeclareGroupsResponseSchema,
} from "../../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { declaredGroups } from "../domain/group.ts";
import type { MembershipStore } from "../domain/ports.ts";
import { groupFromMessage, groupToMessage, scopeOf } from "./request.ts";

export async function handleDeclareGroups(
  { store }: { readonly store: MembershipStore },
  message: DeclareGroupsRequest,
): Promise<DeclareGroupsResponse> {
  const { workspaceId } = scopeOf(message);
  const declared = message.groups.map(groupFromMessage);
  if (declared.some(({ id }) => id === "")) throw new Refusal("INPUT_INVALID", "Expected an id for every subscription group");
  await store.changeGroups(workspaceId, (groups) => declaredGroups(groups, declared, { prune: message.prune }));
  return create(DeclareGroupsResponseSchema, { groups: (await store.groups(workspaceId)).map(groupToMessage) });
}
