/** RPC ReportSession. */
import { create } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type ReportSessionRequest,
  type ReportSessionResponse,
  ReportSessionResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { isDeviceName } from "../domain/resolve-devices.ts";
import { submit, type WriteParts } from "../intake/submit.ts";
import { checkUserKey } from "../intake/user-key-message.ts";
import { positionToToken } from "../../../platform/intake/position.ts";
import { checkReportTexts, checkReportTime } from "./request.ts";

export async function handleReportSession(parts: WriteParts, message: ReportSessionRequest): Promise<ReportSessionResponse> {
  const { report } = message;
  if (report === undefined) throw new Refusal("INPUT_INVALID", "Expected a report, got none");
  checkUserKey(report.user);
  checkReportTime("started_at", report.startedAt);
  const { appId, device } = report;
  checkReportTexts({ app_id: appId }, { model: device?.model ?? "", os: device?.os ?? "" });
  if (device !== undefined && !isDeviceName(device.deviceId)) {
    throw new Refusal("INPUT_INVALID", `'device_id' must be a text of 1 to ${limits.deviceIdBytesMax} bytes without U+0000`);
  }
  const { position } = await submit(parts, scopeOf(message), { body: { case: "sessionReport", value: report } });
  return create(ReportSessionResponseSchema, { position: positionToToken(position) });
}
