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
  const { $typeName: _, before = null, after = null, at, sequence, ...entry } = message;
  return { ...entry, before, after, at: Number(at), sequence: Number(sequence) };
}
