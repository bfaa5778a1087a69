/** RPC ListUnsubscribes. */
import { create } from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { listPage } from "./list-page.ts";
import {
  type ListUnsubscribesRequest,
  type ListUnsubscribesResponse,
  ListUnsubscribesResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "../../consent/rpc/operator.ts";

export async function handleListUnsubscribes(
  parts: ServiceParts,
  message: ListUnsubscribesRequest,
  { signal }: Pick<HandlerContext, "signal">,
): Promise<ListUnsubscribesResponse> {
  const { addresses, behind } = await listPage(parts, { scope: scopeOf(message), list: "unsubscribed", signal }, message.filter);
  return create(ListUnsubscribesResponseSchema, { emails: addresses, behind });
}
