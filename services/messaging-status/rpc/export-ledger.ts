/** RPC ExportLedger. */
import { create } from "@bufbuild/protobuf";
import { ledgerEntryToMessage } from "../../../platform/ledger/message.ts";
import { limits } from "../../../platform/limits.ts";
import {
  type ExportLedgerRequest,
  type ExportLedgerResponse,
  ExportLedgerResponseSchema,
} from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ServiceParts } from "./parts.ts";
import { scopeOf } from "./request.ts";

export async function handleExportLedger({ ledger }: ServiceParts, message: ExportLedgerRequest): Promise<ExportLedgerResponse> {
  const { workspaceId } = scopeOf(message);
  const page = { from: message.from === "" ? undefined : message.from, max: limits.ledgerSubjectsPerAnswer };
  const { subjects, next = "" } = await ledger.subjects(workspaceId, page);
  const chains = await Promise.all(subjects.map((subject) => ledger.history(workspaceId, subject)));
  return create(ExportLedgerResponseSchema, { entries: chains.flat().map(ledgerEntryToMessage), next });
}
