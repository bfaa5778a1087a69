/** The rows of a backup in the embedded store of addresses. Every address with a chain has a row. */
import type { ConsentMove } from "../../../platform/ledger/moved.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { sqliteConsentMove } from "../../consent/store/moved.ts";
import type { AddressState } from "../domain/address-state.ts";
import type { EmbeddedTables } from "./sqlite.ts";

export function sqliteStatusMove(database: Database, tables: EmbeddedTables): ConsentMove<AddressState> {
  const page =
    "SELECT address AS key, body FROM messaging_status_addresses WHERE workspace_id = ? AND address > ? ORDER BY address LIMIT ?";
  return sqliteConsentMove(database, tables, { of: "addresses", page, fromRow: (text) => JSON.parse(text) as AddressState });
}
