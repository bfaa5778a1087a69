/** RPC VerifyLedger. */
import { create } from "@bufbuild/protobuf";
import {
  type VerifyLedgerRequest,
  type VerifyLedgerResponse,
  VerifyLedgerResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "./request.ts";

export async function handleVerifyLedger(parts: ServiceParts, message: VerifyLedgerRequest): Promise<VerifyLedgerResponse> {
  const { entries, damage } = await parts.ledger.verify(scopeOf(message).workspaceId);
  return create(VerifyLedgerResponseSchema, { entries: BigInt(entries), ...(damage !== undefined && { damage }) });
}
