/** RPC MarkEmails: blocklists addresses, or lifts marks. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import { EmailMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type MarkEmailsRequest,
  MarkEmailsRequestSchema,
  type MarkEmailsResponse,
  MarkEmailsResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { emailsOf } from "./request.ts";
import { write } from "./write.ts";

export async function handleMarkEmails(parts: ServiceParts, message: MarkEmailsRequest): Promise<MarkEmailsResponse> {
  if (message.mark === EmailMark.UNSPECIFIED) throw new Refusal("INPUT_INVALID", "Expected a mark, got none");
  const value = { emails: emailsOf(message.emails), mark: message.mark };
  const written = await write(parts, { schema: MarkEmailsRequestSchema, message }, { case: "markEmails", value });
  return create(MarkEmailsResponseSchema, written);
}
