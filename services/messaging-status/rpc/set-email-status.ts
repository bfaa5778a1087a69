/** RPC SetEmailStatus: the state of addresses, whether or not a user has them. */
import { create } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import { EmailStatus } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type SetEmailStatusRequest,
  SetEmailStatusRequestSchema,
  type SetEmailStatusResponse,
  SetEmailStatusResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { emailsOf } from "./request.ts";
import { write } from "./write.ts";

export async function handleSetEmailStatus(parts: ServiceParts, message: SetEmailStatusRequest): Promise<SetEmailStatusResponse> {
  if (message.status === EmailStatus.UNSPECIFIED) throw new Refusal("INPUT_INVALID", "Expected an email status, got none");
  const value = { emails: emailsOf(message.emails), status: message.status };
  const written = await write(parts, { schema: SetEmailStatusRequestSchema, message }, { case: "setEmailStatuses", value });
  return create(SetEmailStatusResponseSchema, written);
}
