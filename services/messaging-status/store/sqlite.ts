/** The embedded store of the messaging-status service: addresses and the ledger as tables of the shared SQLite file, link keys as documents. */
import type { Clock } from "../../../platform/clock.ts";
import { openLinkKeys } from "../../../platform/documents/link-keys.ts";
import { openSqliteDocuments } from "../../../platform/documents/sqlite.ts";
import { ledgerTables } from "../../../platform/ledger/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { type OnEntries, openSqliteConsent, type SqliteConsent } from "../../consent/store/sqlite.ts";
import type { AddressState, ListName } from "../domain/address-state.ts";
import type { StatusTables } from "./tables.ts";

export type EmbeddedTables = StatusTables & SqliteConsent<AddressState>;

const ledger = ledgerTables("messaging_status");

/** Written in one transaction: a step whole or not at all. `onEntries` runs inside it. */
export async function openSqliteStatusStore(
  { database, clock, onEntries = () => {} }: { readonly database: Database; readonly clock: Clock; readonly onEntries?: OnEntries },
): Promise<EmbeddedTables> {
  const documents = await openSqliteDocuments({ database, space: "status-links", clock });
  const tables = await openSqliteConsent(database, {
    service: "messaging-status",
    of: "addresses",
    schema,
    ledger,
    deadLetterTable: "messaging_status_set_aside",
    onEntries,
    select: "SELECT body FROM messaging_status_addresses WHERE workspace_id = ? AND address = ?",
    page: "SELECT address AS key, body FROM messaging_status_addresses WHERE workspace_id = ? AND address > ? ORDER BY address LIMIT ?",
    fromRow: stateFromRow,
    put: (workspaceId, state) => writeState(database, workspaceId, state),
  });
  return {
    ...tables,
    store: {
      load: tables.load,
      list(workspaceId, list, { from, to, limit, offset, ascending }) {
        const sql = listSql(columns[list], ascending ? "ASC" : "DESC");
        return Promise.resolve(database.prepare(sql).all(workspaceId, from, to, limit, offset).map((row) => stateFromRow(row["body"])));
      },
    },
    linkKeys: openLinkKeys(documents),
  };
}

function stateFromRow(body: unknown): AddressState {
  return JSON.parse(String(body));
}

function writeState(database: Database, workspaceId: string, state: AddressState): void {
  const times = [state.unsubscribedAt, state.rejected?.at ?? null, state.invalid?.at ?? null];
  database.prepare(putState).run(workspaceId, state.address, JSON.stringify(state), ...times);
}

const putState = `INSERT INTO messaging_status_addresses (workspace_id, address, body, unsubscribed_at, rejected_at, invalid_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET body = excluded.body, unsubscribed_at = excluded.unsubscribed_at,
    rejected_at = excluded.rejected_at, invalid_at = excluded.invalid_at`;

const columns: Readonly<Record<ListName, string>> = { unsubscribed: "unsubscribed_at", rejected: "rejected_at", invalid: "invalid_at" };

function listSql(column: string, order: "ASC" | "DESC"): string {
  return `SELECT body FROM messaging_status_addresses WHERE workspace_id = ? AND ${column} >= ? AND ${column} < ?
    ORDER BY ${column} ${order}, address ${order} LIMIT ? OFFSET ?`;
}

/** Owner `messaging-status`; a version is never changed once released. */
const schema: readonly string[] = [
  `
  CREATE TABLE messaging_status_addresses (
    workspace_id TEXT NOT NULL, address TEXT NOT NULL, body TEXT NOT NULL,
    unsubscribed_at INTEGER, rejected_at INTEGER, invalid_at INTEGER,
    PRIMARY KEY (workspace_id, address)
  ) WITHOUT ROWID;
  CREATE INDEX messaging_status_unsubscribed ON messaging_status_addresses (workspace_id, unsubscribed_at, address)
    WHERE unsubscribed_at IS NOT NULL;
  CREATE INDEX messaging_status_rejected ON messaging_status_addresses (workspace_id, rejected_at, address) WHERE rejected_at IS NOT NULL;
  CREATE INDEX messaging_status_invalid ON messaging_status_addresses (workspace_id, invalid_at, address) WHERE invalid_at IS NOT NULL;
  CREATE TABLE messaging_status_link_keys (id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
  CREATE TABLE messaging_status_set_aside (
    workspace_id TEXT NOT NULL, sequence INTEGER NOT NULL, part INTEGER NOT NULL, reason TEXT NOT NULL, body BLOB NOT NULL,
    PRIMARY KEY (workspace_id, sequence, part)
  ) WITHOUT ROWID;
  ${ledger.schema}
  `,
  "ALTER TABLE messaging_status_set_aside ADD COLUMN lane_key TEXT NOT NULL DEFAULT '';",
  ledger.inOrder,
  `
  CREATE TABLE messaging_status_link_rings (
    ring TEXT NOT NULL, id INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (ring, id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO messaging_status_link_rings (ring, id, bytes) SELECT '', id, bytes FROM messaging_status_link_keys;
  DROP TABLE messaging_status_link_keys;
  `,
  `
  INSERT INTO documents (space, partition, kind, id, value)
    SELECT 'status-links', '*' || ring, 'key', printf('%010d', id), json_object('id', id, 'hex', hex(bytes)) FROM messaging_status_link_rings;
  DROP TABLE messaging_status_link_rings;
  `,
];
