/** Ledgers in the embedded store: a table of entries and one of chain ends, under the name of the service that keeps them. */
import type { Database } from "../sqlite/database.ts";
import { type ChainHead, emptyChain, type LedgerEntry } from "./ledger.ts";
import { asOfOneMoment, type Ledger, readLedger } from "./read.ts";

export interface LedgerTables {
  /** The DDL of the two tables as they began, part of the service's own schema. */
  readonly schema: string;
  /** A later version of that schema: bodies stand in the order in which they came, and an index finds those of a subject. */
  readonly inOrder: string;
  heads(database: Database, workspaceId: string, subjects: readonly string[]): Map<string, ChainHead>;
  /** Inside a transaction: adds the entries, in order, and moves the ends of their chains. */
  append(database: Database, workspaceId: string, entries: readonly LedgerEntry[]): void;
  /** Inside a transaction: forgets the subject. */
  erase(database: Database, workspaceId: string, subject: string): void;
  /** The subject's entries in the order of the chain. */
  history(database: Database, workspaceId: string, subject: string): LedgerEntry[];
  /** Up to `max` subjects above `after`, by name. */
  subjects(database: Database, workspaceId: string, page: { readonly after: string; readonly max: number }): string[];
}

/** The names are those of the two services; they are written into statements and are never data. */
export function ledgerTables(owner: "subscription" | "messaging_status"): LedgerTables {
  const [entries, ends] = [`${owner}_ledger`, `${owner}_ledger_ends`];
  const sql = statements(entries, ends);
  return {
    schema: schema(entries, ends),
    inOrder: inOrder(entries),
    heads: (database, workspaceId, subjects) =>
      new Map(subjects.map((subject) => [subject, headOf(database.prepare(sql.end).get(workspaceId, subject))])),
    append(database, workspaceId, added) {
      for (const entry of added) {
        database.prepare(sql.put).run(workspaceId, entry.subject, entry.index, JSON.stringify(entry));
        database.prepare(sql.putEnd).run(workspaceId, entry.subject, entry.index + 1, entry.hash);
      }
    },
    erase(database, workspaceId, subject) {
      database.prepare(sql.erase).run(workspaceId, subject);
      database.prepare(sql.eraseEnd).run(workspaceId, subject);
    },
    history: (database, workspaceId, subject) =>
      database.prepare(sql.history).all(workspaceId, subject).map((row) => JSON.parse(String(row["body"])) as LedgerEntry),
    subjects: (database, workspaceId, { after, max }) =>
      database.prepare(sql.subjects).all(workspaceId, after, max).map((row) => String(row["subject"])),
  };
}

function headOf(row: Readonly<Record<string, unknown>> | undefined): ChainHead {
  return row === undefined ? emptyChain : { count: Number(row["count"]), hash: String(row["hash"]) };
}

function statements(entries: string, ends: string) {
  return {
    end: `SELECT count, hash FROM ${ends} WHERE workspace_id = ? AND subject = ?`,
    put: `INSERT INTO ${entries} (workspace_id, subject, place, body) VALUES (?, ?, ?, ?)`,
    putEnd: `INSERT INTO ${ends} (workspace_id, subject, count, hash) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = excluded.count, hash = excluded.hash`,
    erase: `DELETE FROM ${entries} WHERE workspace_id = ? AND subject = ?`,
    eraseEnd: `DELETE FROM ${ends} WHERE workspace_id = ? AND subject = ?`,
    history: `SELECT body FROM ${entries} WHERE workspace_id = ? AND subject = ? ORDER BY place`,
    // Of both tables: entries without an end are damage too
    subjects: `SELECT subject FROM (SELECT subject FROM ${ends} WHERE workspace_id = ?1 AND subject > ?2
      UNION SELECT subject FROM ${entries} WHERE workspace_id = ?1 AND subject > ?2) ORDER BY subject LIMIT ?3`,
  };
}

function schema(entries: string, ends: string): string {
  return `
  CREATE TABLE ${entries} (
    workspace_id TEXT NOT NULL, subject TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL,
    PRIMARY KEY (workspace_id, subject, place)
  ) WITHOUT ROWID;
  CREATE TABLE ${ends} (
    workspace_id TEXT NOT NULL, subject TEXT NOT NULL, count INTEGER NOT NULL, hash TEXT NOT NULL,
    PRIMARY KEY (workspace_id, subject)
  ) WITHOUT ROWID;
  `;
}

/**
 * Entries of many subjects that are written together, as those of a fan-out, share their pages. Sorted by subject each
 * stands on a page of its own, and every page that is written goes to the disk twice.
 */
function inOrder(entries: string): string {
  return `
  ALTER TABLE ${entries} RENAME TO ${entries}_by_subject;
  CREATE TABLE ${entries} (
    id INTEGER PRIMARY KEY, workspace_id TEXT NOT NULL, subject TEXT NOT NULL, place INTEGER NOT NULL, body TEXT NOT NULL
  ) STRICT;
  INSERT INTO ${entries} (workspace_id, subject, place, body) SELECT workspace_id, subject, place, body FROM ${entries}_by_subject;
  DROP TABLE ${entries}_by_subject;
  CREATE UNIQUE INDEX ${entries}_places ON ${entries} (workspace_id, subject, place);
  `;
}

/** The ledger of one service in the shared file. */
export function sqliteLedger(database: Database, tables: LedgerTables): Ledger {
  return readLedger({
    heads: (workspaceId, subjects) => Promise.resolve(tables.heads(database, workspaceId, subjects)),
    // Another process may write between two reads
    chain: (workspaceId, subject) =>
      asOfOneMoment({
        head: () => Promise.resolve(tables.heads(database, workspaceId, [subject]).get(subject) ?? emptyChain),
        entries: () => Promise.resolve(tables.history(database, workspaceId, subject)),
      }),
    subjects(workspaceId, { from = "", max }) {
      const subjects = tables.subjects(database, workspaceId, { after: from, max });
      return Promise.resolve({ subjects, next: subjects.length < max ? undefined : subjects.at(-1) });
    },
  });
}
