/** RPC UseUnsubscribeLink: who follows a link needs no key, the link is the proof. */
import { create } from "@bufbuild/protobuf";
import { type IntakeBody, submitTo } from "../../../platform/intake/intake.ts";
import { EmailStatus, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type UseUnsubscribeLinkRequest,
  type UseUnsubscribeLinkResponse,
  UseUnsubscribeLinkResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";

export async function handleUseUnsubscribeLink(
  parts: ServiceParts,
  message: UseUnsubscribeLinkRequest,
): Promise<UseUnsubscribeLinkResponse> {
  const { workspaceId, email, groupId } = await parts.links.open(message.token);
  const { requestId, traceparent } = message;
  const asker = { workspaceId, requestId, actor: "unsubscribe_link", route: "/unsubscribe", idempotencyKey: "", traceparent };
  const { position } = await submitTo(parts.intake, asker, { body: bodyOf(email, groupId), fingerprint: new Uint8Array(), keepMs: 0 });
  return create(UseUnsubscribeLinkResponseSchema, { position });
}

function bodyOf(email: string, groupId: string): IntakeBody {
  if (groupId === "") return { case: "setEmailStatuses", value: { emails: [email], status: EmailStatus.UNSUBSCRIBED } };
  const update = { subscriptionGroupId: groupId, state: SubscriptionState.UNSUBSCRIBED, emails: [email] };
  return { case: "setMemberships", value: { updates: [update] } };
}
