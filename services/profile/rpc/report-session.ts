/** RPC ReportSession. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import {
  type ReportSessionRequest,
  type ReportSessionResponse,
  ReportSessionResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { reportSession } from "../domain/report-session.ts";
import type { WriteParts } from "../domain/submit.ts";
import { sessionFromMessage } from "../intake/body-message.ts";
import { positionToToken } from "./position-token.ts";
import { callerOf, scopeOf } from "./request.ts";

export async function handleReportSession(parts: WriteParts, message: ReportSessionRequest): Promise<ReportSessionResponse> {
  if (message.report === undefined) throw new Refusal("INPUT_INVALID", "Expected a report, got none");
  const { position } = await reportSession(parts, callerOf(scopeOf(message)), sessionFromMessage(message.report));
  return create(ReportSessionResponseSchema, { position: positionToToken(position) });
}
