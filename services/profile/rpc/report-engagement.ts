/** RPC ReportEngagement. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type ReportEngagementRequest,
  type ReportEngagementResponse,
  ReportEngagementResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { reportEngagement } from "../domain/report-engagement.ts";
import type { WriteParts } from "../domain/submit.ts";
import { engagementFromMessage } from "../intake/body-message.ts";
import { positionToToken } from "./position-token.ts";
import { callerOf, scopeOf } from "./request.ts";

export async function handleReportEngagement(parts: WriteParts, message: ReportEngagementRequest): Promise<ReportEngagementResponse> {
  if (message.report === undefined) throw new Refusal("INPUT_INVALID", "Expected a report, got none");
  const { position } = await reportEngagement(parts, callerOf(scopeOf(message)), engagementFromMessage(message.report));
  return create(ReportEngagementResponseSchema, { position: positionToToken(position) });
}
