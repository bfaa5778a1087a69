/** What the contract of a move needs of any store of addresses. */
import type { ConsentMoveDriver } from "../../../platform/ledger/moved-contract.ts";
import { type AddressState, unknownAddress } from "../domain/address-state.ts";
import type { StatusTables } from "./tables.ts";

export function moveDriver(tables: StatusTables, close: () => Promise<void>): ConsentMoveDriver<AddressState> {
  return {
    move: tables.move,
    ledger: tables,
    stateOf: (subject, place) => ({ ...unknownAddress(subject), mark: [2 ** 41, place], status: "unsubscribed", unsubscribedAt: place }),
    async setAside() {
      const record = { workspaceId: "w", sequence: 1, part: 0, key: "k", body: Uint8Array.of(1) };
      await tables.commit({ workspaces: [], deadLetters: [{ record, reason: "no record" }] });
    },
    close,
  };
}
