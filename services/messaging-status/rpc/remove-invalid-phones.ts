/** RPC RemoveInvalidPhones. */
import { create } from "@bufbuild/protobuf";
import { PhoneMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import {
  type RemoveInvalidPhonesRequest,
  RemoveInvalidPhonesRequestSchema,
  type RemoveInvalidPhonesResponse,
  RemoveInvalidPhonesResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { phonesOf } from "./request.ts";
import { write } from "./write.ts";

export async function handleRemoveInvalidPhones(
  parts: ServiceParts,
  message: RemoveInvalidPhonesRequest,
): Promise<RemoveInvalidPhonesResponse> {
  const value = { phones: phonesOf(message.phones), mark: PhoneMark.REMOVED };
  const written = await write(parts, { schema: RemoveInvalidPhonesRequestSchema, message }, { case: "markPhones", value });
  return create(RemoveInvalidPhonesResponseSchema, written);
}
