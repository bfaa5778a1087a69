/** The embedded store of consent: states, the ledger and what waits as tables of the shared file, written in one transaction a step. */
import { type DeadLetterTableName, sqliteDeadLetters } from "./dead-letter-sqlite.ts";
import { openSqliteLane, type SqliteLane } from "../../../platform/lane/sqlite.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { type ConsentMove, notThere, subjectsOf, withChains } from "../../../platform/ledger/moved.ts";
import { type LedgerTables, sqliteLedger } from "../../../platform/ledger/sqlite.ts";
import { limits } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import type { LaneStep } from "../engine/plan-step.ts";
import { type ConsentTables, stepOfRows, waitingToMove } from "../engine/tables.ts";

/** Runs inside the transaction of a step. */
export type OnEntries = (workspaceId: string, entries: readonly LedgerEntry[]) => void;

export interface SqliteStates<State> {
  readonly service: "subscription" | "messaging-status";
  /** As in "memberships". */
  readonly of: string;
  /** Versions of the service's tables. */
  readonly schema: readonly string[];
  readonly ledger: LedgerTables;
  readonly deadLetterTable: DeadLetterTableName;
  readonly onEntries: OnEntries;
  /** Gives the body of one state. */
  readonly select: string;
  /** Gives `key` and `body` of a workspace's states behind a key, in order. */
  readonly page: string;
  /** Of a subject that has a chain alone; absent: there is none such. In the mesh a chain ends in a row. */
  readonly nothing?: (key: string) => State;
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
  const deadLetters = sqliteDeadLetters(database, of.deadLetterTable);
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
    deadLetters.put(step.deadLetters);
  }
  const tables: Omit<SqliteConsent<State>, "move"> = {
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
    waiting: (workspaceId) => Promise.resolve(deadLetters.waiting(workspaceId)),
    deadLettersOf: (workspaceId, max, after) => Promise.resolve(deadLetters.of(workspaceId, max, after)),
    forgetSetAside: (records) => database.write(() => deadLetters.forget(records)),
    listSetAside: (max, after) => Promise.resolve(deadLetters.list(max, after)),
    setAsideCount: () => deadLetters.count(),
  };
  return { ...tables, move: moveOf(database, tables, of) };
}

function moveOf<State>(
  database: Database,
  tables: Omit<SqliteConsent<State>, "move">,
  { of, page, fromRow, nothing }: SqliteStates<State>,
): ConsentMove<State> {
  return {
    waiting: () => waitingToMove(tables.listSetAside, of),
    async *read(workspaceIds) {
      for (const workspaceId of workspaceIds) {
        for (const states of statesIn(workspaceId)) yield withChains(tables, { workspaceId, states });
        if (nothing === undefined) continue;
        for await (const subjects of subjectsOf(tables, workspaceId)) {
          const known = await tables.load(workspaceId, subjects);
          const states = new Map(subjects.filter((subject) => !known.has(subject)).map((subject) => [subject, nothing(subject)]));
          yield withChains(tables, { workspaceId, states });
        }
      }
    },
    async write(rows) {
      await tables.commit(stepOfRows(await notThere(tables, rows)));
    },
  };

  function* statesIn(workspaceId: string): Generator<Map<string, State>> {
    for (let after = "";;) {
      const found = database.prepare(page).all(workspaceId, after, limits.movedRowsPerPage);
      if (found.length === 0) return;
      after = String(found.at(-1)?.["key"]);
      yield new Map(found.map((row) => [String(row["key"]), fromRow(String(row["body"]))]));
    }
  }
}
