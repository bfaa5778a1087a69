/** RPC ListInvalidPhones. */
import { create } from "@bufbuild/protobuf";
import { listPage } from "./list-page.ts";
import {
  type ListInvalidPhonesRequest,
  type ListInvalidPhonesResponse,
  ListInvalidPhonesResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "./request.ts";

export async function handleListInvalidPhones(parts: ServiceParts, message: ListInvalidPhonesRequest): Promise<ListInvalidPhonesResponse> {
  const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "invalid" }, message.filter);
  return create(ListInvalidPhonesResponseSchema, { phones: addresses, behind });
}
