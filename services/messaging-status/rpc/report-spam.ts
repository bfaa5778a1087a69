/** RPC ReportSpam, from a sender. */
import { create } from "@bufbuild/protobuf";
import { EmailMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type ReportSpamRequest,
  ReportSpamRequestSchema,
  type ReportSpamResponse,
  ReportSpamResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { emailsOf } from "./request.ts";
import { write } from "./write.ts";

export async function handleReportSpam(parts: ServiceParts, message: ReportSpamRequest): Promise<ReportSpamResponse> {
  const value = { emails: emailsOf(message.emails), mark: EmailMark.SPAM };
  const written = await write(parts, { schema: ReportSpamRequestSchema, message }, { case: "markEmails", value });
  return create(ReportSpamResponseSchema, written);
}
