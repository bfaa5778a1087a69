/** The embedded store of the messaging-status service: addresses, link keys and the ledger as tables of the shared SQLite file. */
import { openSqliteLane, takeFromLane } from "../../../platform/lane/sqlite.ts";
import type { Lane, LaneRecord } from "../../../platform/lane/lane.ts";
import type { ChainHead, LedgerDamage, LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { ledgerTables, readLedger } from "../../../platform/ledger/sqlite.ts";
import type { SealKey } from "../../../platform/sealed-token.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { AddressState } from "../domain/address-state.ts";
import type { AddressStore, ListName } from "../domain/ports.ts";

export interface StatusTables {
  readonly store: AddressStore;
  readonly lane: Lane;
  readonly linkKeys: LinkKeyTable;
  heads(workspaceId: string, subjects: readonly string[]): Promise<Map<string, ChainHead>>;
  commit(step: StepRows): Promise<void>;
  /** The entries of an address's chain, in order. */
  history(workspaceId: string, subject: string): Promise<LedgerEntry[]>;
  /** Every chain of a workspace, by subject. */
  chains(workspaceId: string): AsyncGenerator<LedgerEntry[]>;
  verify(workspaceId: string): Promise<{ readonly entries: number; readonly damage: LedgerDamage | undefined }>;
  /** Records that wait for a human. */
  setAsideCount(): number;
}

/** Keys of unsubscribe links, newest first. */
export interface LinkKeyTable {
  all(): Promise<SealKey[]>;
  /** Adds the key that `make` gives for the next number; with `unlessAny` only where there is none. */
  add(make: (id: number) => SealKey, options: { readonly unlessAny: boolean }): Promise<void>;
}

/** Written whole or not at all. */
export interface StepRows {
  readonly workspaces: readonly {
    readonly workspaceId: string;
    readonly states: ReadonlyMap<string, AddressState>;
    readonly entries: readonly LedgerEntry[];
  }[];
  readonly setAside: readonly { readonly record: LaneRecord; readonly reason: string }[];
  readonly taken: readonly LaneRecord[];
}

const service = "messaging-status";
const ledger = ledgerTables("messaging_status");

export async function openSqliteStatusStore(database: Database): Promise<StatusTables> {
  const lane = await openSqliteLane(database, service);
  await migrate(database, service, schema);
  return {
    store: addressStore(database),
    lane,
    linkKeys: linkKeyTable(database),
    ...readLedger(database, ledger),
    commit: (step) => database.write(() => commitStep(database, step)),
    setAsideCount: () => Number(database.prepare("SELECT count(*) AS count FROM messaging_status_set_aside").get()?.["count"] ?? 0),
  };
}

function addressStore(database: Database): AddressStore {
  return {
    load(workspaceId, addresses) {
      const statement = database.prepare("SELECT body FROM messaging_status_addresses WHERE workspace_id = ? AND address = ?");
      const found = new Map<string, AddressState>();
      for (const address of addresses) {
        const row = statement.get(workspaceId, address);
        if (row !== undefined) found.set(address, stateFromRow(row["body"]));
      }
      return Promise.resolve(found);
    },
    list(workspaceId, list, { from, to, limit, offset, ascending }) {
      const sql = (ascending ? oldestFirst : newestFirst)[list];
      return Promise.resolve(database.prepare(sql).all(workspaceId, from, to, limit, offset).map((row) => stateFromRow(row["body"])));
    },
  };
}

function stateFromRow(body: unknown): AddressState {
  return JSON.parse(String(body));
}

function linkKeyTable(database: Database): LinkKeyTable {
  function all(): SealKey[] {
    return database.prepare("SELECT id, bytes FROM messaging_status_link_keys ORDER BY id DESC").all().map((row) => ({
      id: Number(row["id"]),
      bytes: row["bytes"] instanceof Uint8Array ? row["bytes"] : new Uint8Array(),
    }));
  }
  return {
    all: () => Promise.resolve(all()),
    add: (make, { unlessAny }) =>
      database.write(() => {
        const [newest] = all();
        if (unlessAny && newest !== undefined) return;
        const key = make((newest?.id ?? 0) + 1);
        database.prepare("INSERT INTO messaging_status_link_keys (id, bytes) VALUES (?, ?)").run(key.id, key.bytes);
      }),
  };
}

function commitStep(database: Database, { workspaces, setAside, taken }: StepRows): void {
  for (const { workspaceId, states, entries } of workspaces) {
    for (const [address, state] of states) {
      const times = [state.unsubscribedAt, state.rejected?.at ?? null, state.invalid?.at ?? null];
      database.prepare(putState).run(workspaceId, address, JSON.stringify(state), ...times);
    }
    ledger.append(database, workspaceId, entries);
  }
  for (const { record: { workspaceId, sequence, part, body }, reason } of setAside) {
    database.prepare(putSetAside).run(workspaceId, sequence, part, reason, body);
  }
  takeFromLane(database, service, taken);
}

const putState = `INSERT INTO messaging_status_addresses (workspace_id, address, body, unsubscribed_at, rejected_at, invalid_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET body = excluded.body, unsubscribed_at = excluded.unsubscribed_at,
    rejected_at = excluded.rejected_at, invalid_at = excluded.invalid_at`;
const putSetAside = `INSERT INTO messaging_status_set_aside (workspace_id, sequence, part, reason, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET reason = excluded.reason, body = excluded.body`;

const columns: Readonly<Record<ListName, string>> = { unsubscribed: "unsubscribed_at", rejected: "rejected_at", invalid: "invalid_at" };
const newestFirst = {
  unsubscribed: listSql("unsubscribed", "DESC"),
  rejected: listSql("rejected", "DESC"),
  invalid: listSql("invalid", "DESC"),
};
const oldestFirst = {
  unsubscribed: listSql("unsubscribed", "ASC"),
  rejected: listSql("rejected", "ASC"),
  invalid: listSql("invalid", "ASC"),
};

function listSql(list: ListName, order: "ASC" | "DESC"): string {
  const column = columns[list];
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
];
