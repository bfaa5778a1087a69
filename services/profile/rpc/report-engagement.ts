/** RPC ReportEngagement. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import { EngagementReport_Channel } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import {
  type ReportEngagementRequest,
  type ReportEngagementResponse,
  ReportEngagementResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { submit, type WriteParts } from "../intake/submit.ts";
import { checkUserKey } from "../intake/user-key-message.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { checkReportTexts, checkReportTime } from "./request.ts";

const channels: ReadonlySet<EngagementReport_Channel> = new Set([EngagementReport_Channel.CAMPAIGN, EngagementReport_Channel.CANVAS]);

export async function handleReportEngagement(parts: WriteParts, message: ReportEngagementRequest): Promise<ReportEngagementResponse> {
  const { report } = message;
  if (report === undefined) throw new Refusal("INPUT_INVALID", "Expected a report, got none");
  checkUserKey(report.user);
  checkReportTime("at", report.at);
  const { messageId, interaction, name, channel } = report;
  checkReportTexts({ message_id: messageId, interaction }, { name });
  if (!channels.has(channel)) throw new Refusal("INPUT_INVALID", `Expected the channel campaign or canvas, got ${channel}`);
  const { position } = await submit(parts, scopeOf(message), { body: { case: "engagementReport", value: report } });
  return create(ReportEngagementResponseSchema, { position: positionToToken(position) });
}
