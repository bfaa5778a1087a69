/** The rows of a backup in the embedded store of addresses. Every address with a chain has a row. */
import { type ConsentMove, notThere, withChains } from "../../../platform/ledger/moved.ts";
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { AddressState } from "../domain/address-state.ts";
import type { EmbeddedTables } from "./sqlite.ts";

export function sqliteStatusMove(database: Database, tables: EmbeddedTables): ConsentMove<AddressState> {
  return {
    waiting: () => Promise.resolve(tables.setAsideCount() === 0 ? [] : ["records of addresses were set aside"]),
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) {
        for (const states of statesIn(database, workspaceId)) yield withChains(tables, { workspaceId, states });
      }
    },
    async write(rows) {
      const { workspaceId, states, entries, ends } = await notThere(tables, rows);
      await tables.commit({ workspaces: [{ workspaceId, states, passed: new Map(), entries, ends }], setAside: [], taken: [] });
    },
  };
}

function* statesIn(database: Database, workspaceId: string): Generator<Map<string, AddressState>> {
  const sql = "SELECT address, body FROM messaging_status_addresses WHERE workspace_id = ? AND address > ? ORDER BY address LIMIT ?";
  for (let after = "";;) {
    const found = database.prepare(sql).all(workspaceId, after, limits.movedRowsPerPage);
    if (found.length === 0) return;
    after = String(found.at(-1)?.["address"]);
    yield new Map(found.map((row) => [String(row["address"]), JSON.parse(String(row["body"])) as AddressState]));
  }
}
