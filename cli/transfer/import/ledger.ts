/** The memory of an import, a small database beside the file: which rows the server took, and which requests have an unknown outcome. */
import { existsSync, readFileSync } from "node:fs";
import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";

import { errorText } from "../../../platform/error-text.ts";
import { limits } from "../../../platform/limits.ts";
import { isDiskFull } from "../../../platform/sqlite/faults.ts";
import { makeOwnerOnly } from "../../../platform/sqlite/owner-only.ts";
import type { Batch } from "./batches.ts";
import type { Entry, ObjectArray, SentEntry } from "./entry.ts";
import { type InPart, isMendable } from "./part.ts";
import { CommandError } from "../../shell/output.ts";

/** How the requests of a batch make their Idempotency-Keys: the same for a repeat, whatever became of the file. */
export interface BatchSeal {
  readonly identity: string;
  /** Keys name the rows of the batch too, as other rows were sent from these places before. */
  readonly named: boolean;
  /** Digest of the API key, as a server remembers the requests of each key by itself. Memories of earlier builds have none. */
  readonly key?: string;
}

interface Pending {
  readonly number: number;
  readonly seal: BatchSeal;
  readonly batch: Batch;
}

export interface Ledger {
  /** Rows of this file were taken before. */
  readonly resumed: boolean;
  /** What was sent of the file before was sent with another API key. */
  readonly isOfOtherKey: boolean;
  readonly seal: BatchSeal;
  /** Counts a row of the file, and returns whether it was taken before: as many equal rows were as came so far. */
  isTaken(entry: SentEntry): boolean;
  /** Durable before the first request goes out; gives the number that `settle` takes. */
  begin(batch: Batch, seal: BatchSeal): number;
  settle(pending: number, sent: Settled): void;
  /** Rows of this file that were taken but for fields that are still to be mended. */
  parts(): InPart[];
  /** Requests of an earlier run whose end is not known, each to be sent once more as it was. */
  pending(): Pending[];
  /** True where the report at `path` is not as it was written. */
  isReportChanged(path: string): boolean;
  reported(path: string): void;
  /** The whole file is sent: attributes that it no longer has may come back later as news. */
  finish(file: string): void;
  close(): void;
}

interface Settled {
  readonly taken: readonly SentEntry[];
  readonly inPart: readonly InPart[];
}

export interface LedgerOptions {
  readonly file: string;
  readonly server: string;
  readonly apiKey: string;
  readonly identity: string;
  /** A row is known by a column of its own, so that equal ones are the same. */
  readonly byRowId: boolean;
  /** Name of an import of the file as something new; "": the first. */
  readonly run: string;
  /** Nothing of what happens is remembered. */
  readonly dryRun: boolean;
}

/** Where the memory of the file lies: rows that were refused are mended in a file of their own, and belong to the first. */
function ledgerPath(file: string): { readonly path: string; readonly scope: string } {
  const root = rootOf(file);
  return { path: `${root}.heddle-progress`, scope: file.slice(root.length) };
}

/** The name without the endings of error files, which may stand one behind the other. */
function rootOf(file: string): string {
  const ending = errorEndings.find((one) => file.endsWith(one));
  return ending === undefined ? file : rootOf(file.slice(0, -ending.length));
}

const errorEndings = [".errors.csv", ".errors.ndjson"] as const;

/** Opens the memory of the file, or begins one. Refuses one of another server and one that is none. */
export function openLedger(options: LedgerOptions): Ledger {
  const { path, scope: ending } = ledgerPath(options.file);
  const database = openFile(path, options.dryRun);
  try {
    refuseOtherServer(database, { path, server: options.server });
    const book: Book = { database, ending, scope: `${options.run} ${ending}`, run: Number(meta(database, "run") ?? 0) + 1, commit };
    database.exec("BEGIN");
    putMeta(database, "server", options.server);
    putMeta(database, "run", String(book.run));
    commit();
    return { ...rowsOf(book, options), ...requestsOf(book), ...reportOf(book), close };
  } catch (error) {
    database.close();
    throw error;
  }

  /** Ends the transaction that is always open, and begins the next. */
  function commit(): void {
    if (!options.dryRun) database.exec("COMMIT; BEGIN");
  }

  function close(): void {
    database.exec("ROLLBACK");
    database.close();
  }
}

interface Book {
  readonly database: DatabaseSync;
  /** What the name of the file has behind that of the first file. */
  readonly ending: string;
  /** Whose rows they are: the file's, by the name of the import. */
  readonly scope: string;
  readonly run: number;
  commit(): void;
}

function refuseOtherServer(database: DatabaseSync, { path, server }: { readonly path: string; readonly server: string }): void {
  const known = meta(database, "server");
  if (known === undefined || known === server) return;
  // A server that took nothing of the file, a wrong address perhaps, has no claim to it
  const mayHaveTaken = database.prepare("SELECT 1 FROM rows WHERE taken > 0 UNION ALL SELECT 1 FROM pending LIMIT 1").get();
  if (mayHaveTaken === undefined) return;
  throw new CommandError(
    `"${path}" belongs to an import to ${known}, and this one is to ${server}: finish that one, or delete "${path}" to start over`,
  );
}

function rowsOf(
  { database, ending, scope, run, commit }: Book,
  { identity, apiKey, byRowId }: LedgerOptions,
): Pick<Ledger, "resumed" | "isOfOtherKey" | "seal" | "isTaken" | "finish"> {
  const see = database.prepare(`INSERT INTO rows (scope, id, state, seen, taken, run) VALUES (?, ?, ?, 1, 0, ?)
    ON CONFLICT DO UPDATE SET seen = CASE WHEN run = excluded.run THEN seen + 1 ELSE 1 END, run = excluded.run RETURNING seen, taken`);
  const resumed = database.prepare("SELECT 1 FROM rows WHERE scope = ? AND taken > 0 LIMIT 1").get(scope) !== undefined;
  const named = resumed || database.prepare("SELECT 1 FROM pending WHERE scope = ? LIMIT 1").get(scope) !== undefined;
  const key = hash("sha256", apiKey, "hex");
  const keyBefore = meta(database, `key ${scope}`);
  let waiting = 0;
  return {
    resumed,
    isOfOtherKey: keyBefore !== undefined && keyBefore !== key,
    seal: { identity, named, key },
    isTaken({ id, array }) {
      const row = see.get(scope, Buffer.from(id, "hex"), stateOf(array), run);
      waiting += 1;
      if (waiting % limits.importRowsPerCommit === 0) commit();
      const [seen, taken] = [Number(row?.["seen"]), Number(row?.["taken"])];
      return byRowId ? taken > 0 || seen > 1 : seen <= taken;
    },
    finish(file) {
      // A report that was imported may be written anew
      if (ending !== "") {
        putMeta(database, `report${ending.replace(/\.errors\.(?:csv|ndjson)$/, "")}`, digest(file));
        database.prepare("DELETE FROM parts WHERE scope = ?").run(scopesOf(scope)[1] ?? "");
      }
      database.prepare("DELETE FROM parts WHERE scope = ? AND id NOT IN (SELECT id FROM rows WHERE scope = ? AND run = ?)")
        .run(scope, scope, run);
      database.prepare("DELETE FROM rows WHERE scope = ? AND run <> ? AND state = 1").run(scope, run);
      database.prepare("DELETE FROM rows WHERE scope = ? AND taken = 0").run(scope);
      commit();
    },
  };
}

function requestsOf({ database, scope, run, commit }: Book): Pick<Ledger, "begin" | "settle" | "pending" | "parts"> {
  const begin = database.prepare("INSERT INTO pending (scope, seal, entries) VALUES (?, ?, ?)");
  const end = database.prepare("DELETE FROM pending WHERE number = ?");
  const take = database.prepare(`INSERT INTO rows (scope, id, state, seen, taken, run) VALUES (?, ?, ?, 0, 1, ?)
    ON CONFLICT DO UPDATE SET taken = taken + 1`);
  const leave = database.prepare("INSERT INTO parts (scope, id, part) VALUES (?, ?, ?) ON CONFLICT DO NOTHING");
  return {
    begin(batch, seal) {
      const { lastInsertRowid } = begin.run(scope, JSON.stringify(seal), JSON.stringify(batch.entries));
      putMeta(database, `key ${scope}`, seal.key ?? "");
      commit();
      return Number(lastInsertRowid);
    },
    settle(pending, { taken, inPart }) {
      end.run(pending);
      for (const { id, array } of taken) {
        for (const one of scopesOf(scope)) take.run(one, Buffer.from(id, "hex"), stateOf(array), run);
      }
      for (const part of inPart.filter(isMendable)) leave.run(scope, Buffer.from(part.entry.id, "hex"), JSON.stringify(part));
      commit();
    },
    parts: () =>
      database.prepare("SELECT part FROM parts WHERE scope = ? ORDER BY rowid").all(scope)
        .map(({ part }) => JSON.parse(String(part)) as InPart),
    pending: () =>
      database.prepare("SELECT number, seal, entries FROM pending WHERE scope = ? ORDER BY number").all(scope)
        .map(({ number, seal, entries }) => ({
          number: Number(number),
          seal: JSON.parse(String(seal)) as BatchSeal,
          batch: { entries: JSON.parse(String(entries)) as Entry[] },
        })),
  };
}

function reportOf({ database, ending, commit }: Book): Pick<Ledger, "isReportChanged" | "reported"> {
  return {
    isReportChanged(report) {
      const known = meta(database, `report${ending}`);
      return known !== undefined && existsSync(report) && digest(report) !== known;
    },
    reported(report) {
      putMeta(database, `report${ending}`, existsSync(report) ? digest(report) : "");
      commit();
    },
  };
}

/** Attributes say how a user is, and the same may be news again; an event or purchase happened once. */
function stateOf(array: ObjectArray): number {
  return array === "attributes" ? 1 : 0;
}

function openFile(path: string, dryRun: boolean): DatabaseSync {
  // What waits in it holds what is known of people
  if (!dryRun) makeOwnerOnly(path, ignore);
  const database = new DatabaseSync(dryRun && !existsSync(path) ? nowhere : path);
  try {
    // FULL: a request that a power cut makes it forget would go out again under another key, and count twice
    if (!dryRun) database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
    database.exec(`
      CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS rows (
        scope TEXT NOT NULL, id BLOB NOT NULL, state INTEGER NOT NULL, seen INTEGER NOT NULL, taken INTEGER NOT NULL, run INTEGER NOT NULL,
        PRIMARY KEY (scope, id)
      ) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS pending (number INTEGER PRIMARY KEY, scope TEXT NOT NULL, seal TEXT NOT NULL, entries TEXT NOT NULL);
      CREATE TABLE IF NOT EXISTS parts (scope TEXT NOT NULL, id BLOB NOT NULL, part TEXT NOT NULL, UNIQUE (scope, id));
    `);
    return database;
  } catch (cause) {
    database.close();
    if (isDiskFull(cause)) throw new CommandError(`"${path}" cannot be written: ${errorText(cause)}`, { cause });
    throw new CommandError(
      `"${path}" is not the memory of an import of this version: finish that import with the Heddle that began it, or delete "${path}" to start over`,
      { cause },
    );
  }
}

/** A database that goes when it is closed; Deno has none that goes to the disk where it grows. */
const nowhere = process.versions["deno"] === undefined ? "" : ":memory:";

/** A file of another user who lets this one write it. */
function ignore(): void {}

function meta(database: DatabaseSync, name: string): string | undefined {
  const row = database.prepare("SELECT value FROM meta WHERE name = ?").get(name);
  return row === undefined ? undefined : String(row["value"]);
}

function putMeta(database: DatabaseSync, name: string, value: string): void {
  database.prepare("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value").run(name, value);
}

function digest(path: string): string {
  return hash("sha256", readFileSync(path), "hex");
}

/** The file itself, and those that its rows were refused from: a row that is mended and taken counts there too. */
function scopesOf(scope: string): string[] {
  const scopes = [scope];
  for (let one = scope; one.includes(".errors.", one.lastIndexOf(" "));) {
    one = one.replace(/\.errors\.(?:csv|ndjson)$/, "");
    scopes.push(one);
  }
  return scopes;
}

/** Those of the entries that go to the server. */
export function sentEntries(entries: readonly Entry[]): SentEntry[] {
  return entries.filter((entry) => "json" in entry);
}
