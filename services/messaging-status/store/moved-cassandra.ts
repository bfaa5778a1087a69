/** The rows of a backup in the mesh's store of addresses: the whole table is read, a page at a time. */
import { scanTable, type Session } from "../../../platform/cassandra/session.ts";
import { type ConsentMove, inWrites, withChains } from "../../../platform/ledger/moved.ts";
import { limits } from "../../../platform/limits.ts";
import type { AddressState } from "../domain/address-state.ts";
import type { StatusTables } from "./tables.ts";

export function cassandraStatusMove(session: Session, tables: StatusTables): ConsentMove<AddressState> {
  return {
    waiting: async () => (await tables.listSetAside(1)).length === 0 ? [] : ["records of addresses were set aside"],
    async *read(workspaceIds) {
      for await (const page of scanTable(session, scan, limits.movedRowsPerPage)) {
        const wanted = page.filter((row) => workspaceIds.has(String(row["workspace_id"])));
        for (const [workspaceId, rows] of Map.groupBy(wanted, (row) => String(row["workspace_id"]))) {
          const states = new Map(rows.map((row) => {
            const [state] = JSON.parse(String(row["body"])) as [AddressState];
            return [state.address, state];
          }));
          yield withChains(tables, { workspaceId, states });
        }
      }
    },
    async write(rows) {
      for (const { workspaceId, states, entries, ends } of inWrites(rows)) {
        await tables.commit({ workspaces: [{ workspaceId, states, passed: new Map(), entries, ends }], setAside: [], taken: [] });
      }
    },
  };
}

const scan = "SELECT workspace_id, address, body FROM states_by_address";
