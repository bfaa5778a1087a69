/** RPC ReportBounce, from a sender. */
import { create } from "@bufbuild/protobuf";
import { EmailMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type ReportBounceRequest,
  ReportBounceRequestSchema,
  type ReportBounceResponse,
  ReportBounceResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { emailsOf } from "./request.ts";
import { write } from "./write.ts";

export async function handleReportBounce(parts: ServiceParts, message: ReportBounceRequest): Promise<ReportBounceResponse> {
  const value = { emails: emailsOf(message.emails), mark: EmailMark.HARD_BOUNCED };
  const written = await write(parts, { schema: ReportBounceRequestSchema, message }, { case: "markEmails", value });
  return create(ReportBounceResponseSchema, written);
}
