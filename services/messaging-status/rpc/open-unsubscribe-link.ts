/** RPC OpenUnsubscribeLink: changes nothing. */
import { create } from "@bufbuild/protobuf";
import {
  type OpenUnsubscribeLinkRequest,
  type OpenUnsubscribeLinkResponse,
  OpenUnsubscribeLinkResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleOpenUnsubscribeLink(
  parts: ServiceParts,
  message: OpenUnsubscribeLinkRequest,
): Promise<OpenUnsubscribeLinkResponse> {
  const { email, groupId } = await parts.links.open(message.token);
  return create(OpenUnsubscribeLinkResponseSchema, { email, subscriptionGroupId: groupId });
}
