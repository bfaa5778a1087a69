/** RPC GetHistory: the ledger of addresses. */
import { create } from "@bufbuild/protobuf";
import {
  type GetHistoryRequest,
  type GetHistoryResponse,
  GetHistoryResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { historyOf, scopeOf } from "../../consent/rpc/operator.ts";
import { isLate } from "./request.ts";

export async function handleGetHistory(parts: ServiceParts, message: GetHistoryRequest): Promise<GetHistoryResponse> {
  const { workspaceId } = scopeOf(message);
  await isLate(parts, scopeOf(message), message.addresses);
  const entries = await historyOf(parts.ledger, { workspaceId, subjects: message.addresses, until: message.until });
  return create(GetHistoryResponseSchema, { entries });
}
