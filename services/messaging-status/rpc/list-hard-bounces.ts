/** RPC ListHardBounces. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { listPage } from "./list-page.ts";
import {
  type ListHardBouncesRequest,
  type ListHardBouncesResponse,
  ListHardBouncesResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";

export async function handleListHardBounces(
  parts: ServiceParts,
  message: ListHardBouncesRequest,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<ListHardBouncesResponse> {
  const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "rejected", signal }, message.filter);
  return create(ListHardBouncesResponseSchema, { emails: addresses, behind });
}
