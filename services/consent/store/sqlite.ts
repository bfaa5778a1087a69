/** The embedded store of consent: states, the ledger and what waits as tables of the shared file, written in one transaction a step. */
import { type SetAsideTableName, sqliteSetAside } from "../lane/set-aside-sqlite.ts";
import { openSqliteLane, type SqliteLane } from "../../../platform/lane/sqlite.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { type LedgerTables, sqliteLedger } from "../../../platform/ledger/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { LaneStep } from "../engine/plan-step.ts";
import type { ConsentTables } from "./tables.ts";

/** Runs inside the transaction of a step. */
export type OnEntries = (workspaceId: string, entries: readonly LedgerEntry[]) => void;

export interface SqliteStates<State> {
  readonly service: "subscription" | "messaging-status";
  /** Versions of the service's tables. */
  readonly schema: readonly string[];
  readonly ledger: LedgerTables;
  readonly setAsideTable: SetAsideTableName;
  readonly onEntries: OnEntries;
  /** Gives the body of one state. */
  readonly select: string;
  fromRow(text: string): State;
  put(workspaceId: string, state: State): void;
}

export interface SqliteConsent<State> extends ConsentTables<State> {
  readonly lane: SqliteLane;
  load(workspaceId: string, keys: readonly string[]): Promise<Map<string, State>>;
  /** Records that wait for a human. */
  setAsideCount(): number;
}

export async function openSqliteConsent<State>(database: Database, of: SqliteStates<State>): Promise<SqliteConsent<State>> {
  const { service, ledger, onEntries } = of;
  const lane = await openSqliteLane(database, service);
  await migrate(database, service, of.schema);
  const setAside = sqliteSetAside(database, of.setAsideTable);
  async function load(workspaceId: string, keys: readonly string[]): Promise<Map<string, State>> {
    const statement = database.prepare(of.select);
    const found = new Map<string, State>();
    for (const key of keys) {
      const row = statement.get(workspaceId, key);
      if (row !== undefined) found.set(key, of.fromRow(String(row["body"])));
    }
    return found;
  }
  function commitStep(step: LaneStep<State>): void {
    for (const { workspaceId, states, entries, erased } of step.workspaces) {
      for (const state of states.values()) of.put(workspaceId, state);
      for (const subject of erased?.keys() ?? []) ledger.erase(database, workspaceId, subject);
      ledger.append(database, workspaceId, entries);
      onEntries(workspaceId, entries);
    }
    setAside.put(step.setAside);
  }
  return {
    load,
    lane,
    ...sqliteLedger(database, ledger),
    loadForStep: async (workspaceId, keys) => ({
      states: await load(workspaceId, keys),
      ends: ledger.heads(database, workspaceId, keys),
    }),
    // The lane has the records until all of this is durable
    commit: (step) => database.write(() => commitStep(step), { repeatable: true }),
    entriesSince: () => Promise.resolve([]),
    waiting: (workspaceId) => Promise.resolve(setAside.waiting(workspaceId)),
    setAsideOf: (workspaceId, max) => Promise.resolve(setAside.of(workspaceId, max)),
    forgetSetAside: (records) => database.write(() => setAside.forget(records)),
    listSetAside: (max) => Promise.resolve(setAside.list(max)),
    setAsideCount: () => setAside.count(),
  };
}
