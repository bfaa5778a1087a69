/** RPC GetHistory: the ledger of addresses. */
import { create } from "@bufbuild/protobuf";
import { ledgerEntryToMessage } from "../../../platform/ledger/message.ts";
import {
  type GetHistoryRequest,
  type GetHistoryResponse,
  GetHistoryResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { isLate, scopeOf } from "./request.ts";

export async function handleGetHistory(parts: ServiceParts, message: GetHistoryRequest): Promise<GetHistoryResponse> {
  const { workspaceId } = scopeOf(message);
  await isLate(parts, scopeOf(message), message.addresses);
  const chains = await Promise.all(message.addresses.map((address) => parts.ledger.history(workspaceId, address)));
  const until = message.until === 0n ? Infinity : Number(message.until);
  const entries = chains.flat().filter(({ at }) => at <= until).toSorted((a, b) => a.sequence - b.sequence || a.part - b.part);
  return create(GetHistoryResponseSchema, { entries: entries.map(ledgerEntryToMessage) });
}
