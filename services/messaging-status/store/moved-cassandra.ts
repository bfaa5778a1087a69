/** The rows of a backup in the mesh's store of addresses. */
import type { Session } from "../../../platform/cassandra/session.ts";
import type { ConsentMove } from "../../../platform/ledger/moved.ts";
import type { ConsentTables } from "../../consent/store/tables.ts";
import { states } from "./statements.ts";
import { cassandraConsentMove } from "../../consent/store/moved.ts";
import type { AddressState } from "../domain/address-state.ts";

export function cassandraStatusMove(session: Session, tables: ConsentTables<AddressState>): ConsentMove<AddressState> {
  return cassandraConsentMove(session, tables, {
    of: "addresses",
    column: "address",
    alone: states,
    fromRow: (state) => state as AddressState,
  });
}
