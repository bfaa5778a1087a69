/** The embedded store of consent: states, the ledger and what waits as tables of the shared file, written in one transaction a step. */
import type { EmbeddedLaneTables } from "../../../platform/lane/embedded-lane.ts";
import { type SetAsideOptions, sqliteSetAside } from "../../../platform/lane/set-aside-sqlite.ts";
import type { Lane } from "../../../platform/lane/lane.ts";
import { takeFromLane } from "../../../platform/lane/sqlite.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { type LedgerTables, sqliteLedger } from "../../../platform/ledger/sqlite.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import type { ConsentTables } from "./tables.ts";

/** Runs inside the transaction of a step. */
export type OnEntries = (workspaceId: string, entries: readonly LedgerEntry[]) => void;

export interface SqliteStates<State> {
  readonly service: "subscription" | "messaging-status";
  readonly lane: Lane;
  readonly ledger: LedgerTables;
  readonly setAsideTable: SetAsideOptions["table"];
  readonly onEntries: OnEntries;
  /** Gives the body of one state. */
  readonly select: string;
  fromRow(text: string): State;
  put(workspaceId: string, state: State): void;
}

export interface SqliteConsent<State> extends ConsentTables<State>, EmbeddedLaneTables {
  load(workspaceId: string, keys: readonly string[]): Promise<Map<string, State>>;
}

/** The tables are there already. */
export function openSqliteConsent<State>(database: Database, of: SqliteStates<State>): SqliteConsent<State> {
  const { service, lane, ledger, onEntries } = of;
  const setAside = sqliteSetAside({ database, lane, table: of.setAsideTable });
  async function load(workspaceId: string, keys: readonly string[]): Promise<Map<string, State>> {
    const statement = database.prepare(of.select);
    const found = new Map<string, State>();
    for (const key of keys) {
      const row = statement.get(workspaceId, key);
      if (row !== undefined) found.set(key, of.fromRow(String(row["body"])));
    }
    return found;
  }
  function commitStep(step: Parameters<SqliteConsent<State>["commit"]>[0]): void {
    setAside.checkUnchanged(step);
    for (const { workspaceId, states, entries, erased } of step.workspaces) {
      for (const state of states.values()) of.put(workspaceId, state);
      for (const subject of erased?.keys() ?? []) ledger.erase(database, workspaceId, subject);
      ledger.append(database, workspaceId, entries);
      onEntries(workspaceId, entries);
    }
    setAside.put(step.setAside);
    takeFromLane(database, service, step.taken);
  }
  return {
    load,
    lane,
    ...sqliteLedger(database, ledger),
    loadForStep: async (workspaceId, keys) => ({
      states: await load(workspaceId, keys),
      ends: ledger.heads(database, workspaceId, keys),
    }),
    // The lane has the records until the step that takes them out is durable
    commit: (step) => database.write(() => commitStep(step), { redoable: true }),
    waiting: (workspaceId) => Promise.resolve(setAside.waiting(workspaceId)),
    redriveSetAside: (read) => setAside.redrive(read),
    skipSetAside: (at, read) => setAside.skip(at, read),
    listSetAside: (max) => Promise.resolve(setAside.list(max)),
    setAsideCount: () => setAside.count(),
  };
}
