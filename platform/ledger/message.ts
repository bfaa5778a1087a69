/** A ledger entry as a message: LedgerEntry <-> heddle.consent.v1.LedgerEntry. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LedgerEntry as LedgerMessage, LedgerEntrySchema } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import type { LedgerEntry } from "./ledger.ts";

export function ledgerEntryToMessage({ before, after, at, sequence, ...entry }: LedgerEntry): MessageInitShape<typeof LedgerEntrySchema> {
  return {
    ...entry,
    ...(before !== null && { before }),
    ...(after !== null && { after }),
    at: BigInt(at),
    sequence: BigInt(sequence),
  };
}

export function ledgerEntryFromMessage(message: LedgerMessage): LedgerEntry {
  const { subject, what, kind, before = null, after = null, actor, requestId, part, index, previous, hash } = message;
  const cause = { at: Number(message.at), actor, requestId, sequence: Number(message.sequence), part };
  return { subject, what, kind, before, after, ...cause, index, previous, hash };
}
