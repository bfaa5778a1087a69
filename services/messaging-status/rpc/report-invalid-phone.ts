/** RPC ReportInvalidPhone, from a sender. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import { PhoneMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type ReportInvalidPhoneRequest,
  ReportInvalidPhoneRequestSchema,
  type ReportInvalidPhoneResponse,
  ReportInvalidPhoneResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { phonesOf } from "./request.ts";
import { write } from "./write.ts";

export async function handleReportInvalidPhone(
  parts: ServiceParts,
  message: ReportInvalidPhoneRequest,
): Promise<ReportInvalidPhoneResponse> {
  if (message.reason !== PhoneMark.PROVIDER_ERROR && message.reason !== PhoneMark.DEACTIVATED) {
    throw new Refusal("INPUT_INVALID", "Expected the reason provider_error or deactivated, got another");
  }
  const value = { phones: phonesOf(message.phones), mark: message.reason };
  const written = await write(parts, { schema: ReportInvalidPhoneRequestSchema, message }, { case: "markPhones", value });
  return create(ReportInvalidPhoneResponseSchema, written);
}
