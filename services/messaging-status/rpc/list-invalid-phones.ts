/** RPC ListInvalidPhones. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { listPage } from "./list-page.ts";
import {
  type ListInvalidPhonesRequest,
  type ListInvalidPhonesResponse,
  ListInvalidPhonesResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";

export async function handleListInvalidPhones(
  parts: ServiceParts,
  message: ListInvalidPhonesRequest,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<ListInvalidPhonesResponse> {
  const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "invalid", signal }, message.filter);
  return create(ListInvalidPhonesResponseSchema, { phones: addresses, behind });
}
