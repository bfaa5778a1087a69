/** A ledger entry as a message: LedgerEntry -> heddle.consent.v1.LedgerEntry. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { LedgerEntrySchema } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
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
