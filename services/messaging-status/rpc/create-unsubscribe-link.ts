/** RPC CreateUnsubscribeLink. */
import { create } from "@bufbuild/protobuf";
import {
  type CreateUnsubscribeLinkRequest,
  type CreateUnsubscribeLinkResponse,
  CreateUnsubscribeLinkResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";
import { emailsOf } from "./request.ts";

export async function handleCreateUnsubscribeLink(
  parts: ServiceParts,
  message: CreateUnsubscribeLinkRequest,
): Promise<CreateUnsubscribeLinkResponse> {
  const { workspaceId } = scopeOf(message);
  const [email = ""] = emailsOf([message.email]);
  const token = await parts.links.make({ workspaceId, email, groupId: message.subscriptionGroupId });
  return create(CreateUnsubscribeLinkResponseSchema, { path: `/unsubscribe/${token}` });
}
