/** The log in SQLite: appends that wait at the same time become one write of the shared transaction. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { slicesBySize } from "../slices-by-size.ts";
import type { Database } from "../sqlite/database.ts";
import { isDiskFull } from "../sqlite/faults.ts";
import { migrate } from "../sqlite/migrate.ts";
import type { Log, LogRecord } from "./log.ts";
import { createOwnTail, type OwnTail } from "./own-tail.ts";
import { packRecords, rowBounds, unpackRecords } from "./packed-records.ts";
import { checkPartition, partitionOf } from "./partition.ts";
import type { ReachFile } from "./reach-file.ts";
import { beginSqliteEpoch, epochSchema, givenThrough, openSqliteEpoch, type SqliteEpoch } from "./sqlite-epoch.ts";
import { type Append, type GroupCommit, openGroupCommit } from "./group-commit.ts";

/**
 * Opens the log whose tables lie in `database` (and makes them the first time, with `partitions` orders for good).
 * This process is its only writer. A record handed over must not change any more: it may be read from memory.
 * `append` refuses: LOG_FULL (disk full), LOG_UNAVAILABLE (the store took nothing, or the log is closed), OVERLOADED
 * (`logAppendsWaitingMax` appends or `logBytesWaitingMax` bytes wait already), all certainly not written; and
 * OUTCOME_UNKNOWN. With `reach` it finds out whether the database was put back from an older copy, and begins a new epoch then,
 * behind all that was given out; without it, it cannot. `low` appends wait until a write finds no normal ones, at most `lowPriorityWaitMsMax`.
 * Listeners of `watch` must not throw.
 */
export async function openSqliteLog(
  options: { database: Database; partitions: number; clock: Clock; reach?: ReachFile; logger?: Logger },
): Promise<Log> {
  const { database, partitions, clock, reach, logger = silentLogger } = options;
  await migrate(database, "log", versions);
  const found = await database.write(() => madePartitions(database, partitions));
  if (found !== partitions) {
    throw new Error(`The log was made with ${found} partitions and cannot be opened with ${partitions}`);
  }
  const epoch = await openSqliteEpoch({ database, clock, logger, ...(reach && { reach }) });
  return new SqliteLog({ database, partitions, clock, epoch });
}

/** Lets a log that is not open yet, and has no records, go on above `through`; makes its tables where they are missing. */
export async function beginSqliteLogAbove(database: Database, through: number, partitions: number): Promise<void> {
  await migrate(database, "log", versions);
  await database.write(() => {
    madePartitions(database, partitions);
    database.prepare("UPDATE log_tails SET sequence = max(sequence, ?)").run(through);
  });
}

/** The last sequence that any order of the log gave; 0 where there is no log. */
export async function sqliteLogEnd(database: Database): Promise<number> {
  await migrate(database, "log", versions);
  return givenThrough(database);
}

/** For a database that was put back on purpose: what its log gives from now on lies above all that it may have given since it was copied. */
export async function beginSqliteLogAnew(database: Database, clock: Clock): Promise<void> {
  await migrate(database, "log", versions);
  await beginSqliteEpoch(database, clock);
}

/** Gives the end of a workspace's order as it is in the file, 0 where there is no log yet. Within a write nothing is appended meanwhile. */
export async function openSqliteLogTails(database: Database): Promise<(workspaceId: string) => number> {
  await migrate(database, "log", versions);
  return (workspaceId) => {
    const tails = tailRows(database);
    return tails.length === 0 ? 0 : tails[partitionOf(workspaceId, tails.length)] ?? 0;
  };
}

function tailRows(database: Database): number[] {
  return database.prepare("SELECT sequence FROM log_tails ORDER BY partition").all().map((row) => Number(row["sequence"]));
}

/** A record's place is its rowid: only at the end of such a table SQLite adds a page without dividing its neighbours, as in a log of one partition. */
const versions = [
  `CREATE TABLE log_tails (partition INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
   CREATE TABLE log_records (
     partition INTEGER NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (partition, sequence)
   ) STRICT, WITHOUT ROWID;`,
  epochSchema,
  `CREATE TABLE log_placed (place INTEGER PRIMARY KEY, body BLOB NOT NULL) STRICT;
   INSERT INTO log_placed (place, body)
     SELECT sequence * (SELECT count(*) FROM log_tails) + partition, body FROM log_records;
   DROP TABLE log_records;
   ALTER TABLE log_placed RENAME TO log_records;`,
  // Records that were appended together are one row, packed, at the place of the last; 0: one alone, as it is
  "ALTER TABLE log_records ADD COLUMN count INTEGER NOT NULL DEFAULT 0;",
];

/** How many orders the log has; makes `partitions` of them where it has none yet. */
function madePartitions(database: Database, partitions: number): number {
  const found = Number(database.prepare("SELECT count(*) AS count FROM log_tails").get()?.["count"]);
  if (found > 0) return found;
  const insert = database.prepare("INSERT INTO log_tails (partition, sequence) VALUES (?, 0)");
  for (let partition = 0; partition < partitions; partition += 1) insert.run(partition);
  return partitions;
}

/** Records of all partitions lie in one table: the place is the sequence times their number, plus the partition. */
const ofPartition = "place % ? = ?";

class SqliteLog implements Log {
  readonly partitions: number;
  readonly begins: number;
  readonly #database: Database;
  readonly #line: GroupCommit;
  readonly #tails: number[];
  /** What is forgotten and may be in a row with what is not; another process may read that again. */
  readonly #trimmed: number[];
  readonly #recent: readonly OwnTail[];
  readonly #epoch: SqliteEpoch;
  readonly #listeners = new Set<{ listener: (partition: number) => void }>();

  constructor(deps: { database: Database; partitions: number; clock: Clock; epoch: SqliteEpoch }) {
    this.partitions = deps.partitions;
    this.begins = deps.epoch.begins;
    this.#epoch = deps.epoch;
    this.#database = deps.database;
    this.#line = openGroupCommit(deps.clock, () => this.#writeBatch());
    this.#tails = tailRows(this.#database);
    this.#trimmed = this.#tails.map(() => 0);
    this.#recent = this.#tails.map(createOwnTail);
  }

  append(partition: number, record: Uint8Array, priority: "normal" | "low" = "normal"): Promise<number> {
    checkPartition(partition, this.partitions);
    return this.#line.append(partition, record, priority);
  }

  async tail(partition: number): Promise<number> {
    checkPartition(partition, this.partitions);
    return this.#tails[partition] ?? 0;
  }

  async read(partition: number, after: number, options: { max: number; bytesMax: number }): Promise<LogRecord[]> {
    checkPartition(partition, this.partitions);
    const recent = this.#recent[partition]?.read(after, options);
    if (recent !== undefined) return recent;
    const records: LogRecord[] = [];
    let room = options.bytesMax;
    for (const record of this.#stored(partition, after)) {
      room -= record.body.byteLength;
      if (room < 0 && records.length > 0) break;
      if (records.push(record) === options.max) break;
    }
    return records;
  }

  *#stored(partition: number, after: number): Generator<LogRecord> {
    const next = this.#database.prepare(
      `SELECT place, count, body FROM log_records WHERE place > ? AND ${ofPartition} ORDER BY place LIMIT 1`,
    );
    for (let last = Math.max(after, this.#trimmed[partition] ?? 0), from = last;;) {
      const row = next.get(this.#placeOf(partition, last), this.partitions, partition);
      if (row === undefined) return;
      last = Math.floor(Number(row["place"]) / this.partitions);
      const body = row["body"] as Uint8Array;
      const bodies = row["count"] === 0 ? [body] : unpackRecords(body);
      const first = last - bodies.length + 1;
      // The first row may begin before
      for (let at = Math.max(0, from + 1 - first); at < bodies.length; at += 1) {
        yield { sequence: first + at, body: bodies[at] as Uint8Array };
      }
    }
  }

  watch(listener: (partition: number) => void): () => void {
    // A listener given twice is two watches, each with an end of its own
    const own = { listener };
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  async trim(partition: number, through: number): Promise<void> {
    const end = Math.min(through, await this.tail(partition));
    this.#recent[partition]?.forget(end);
    this.#trimmed[partition] = Math.max(end, this.#trimmed[partition] ?? 0);
    let deleted: number = limits.logTrimRecordsMax;
    while (deleted === limits.logTrimRecordsMax) {
      // Where a power cut takes it back, the next start does it again
      deleted = await this.#database.write(() => this.#trimSome(partition, end), { repeatable: true });
    }
  }

  async close(): Promise<void> {
    await this.#line.close();
    this.#epoch.close(Math.max(0, ...this.#tails));
  }

  /** What arrives during a write is the next batch. */
  async #writeBatch(): Promise<void> {
    // Filled when the transaction runs, so that it holds whatever came until then; kept if it has to run again
    let batch: readonly Append[] | undefined;
    let sequences: readonly number[];
    try {
      sequences = await this.#database.write(() => this.#insert(batch ??= this.#line.take()), { size: () => this.#line.waiting() });
    } catch (error) {
      const refusal = refusalOf(error);
      for (const append of batch ?? this.#line.take()) append.reject(refusal);
      return;
    }
    this.#epoch.gave(Math.max(0, ...sequences));
    const touched = new Set<number>();
    batch?.forEach((append, index) => {
      const sequence = sequences[index] ?? 0;
      this.#tails[append.partition] = sequence;
      this.#recent[append.partition]?.wrote({ sequence, body: append.record });
      touched.add(append.partition);
      append.resolve(sequence);
    });
    for (const partition of touched) for (const { listener } of this.#listeners) listener(partition);
  }

  /** Runs inside the transaction. The tails move only after the commit, so a repeat counts from the same place. */
  #insert(batch: readonly Append[]): number[] {
    const insert = this.#database.prepare("INSERT INTO log_records (place, count, body) VALUES (?, ?, ?)");
    const move = this.#database.prepare("UPDATE log_tails SET sequence = ? WHERE partition = ?");
    const together = new Map<number, Uint8Array[]>();
    const sequences = batch.map(({ partition, record }) => {
      const records = together.get(partition) ?? [];
      together.set(partition, records);
      return this.#lastGiven(partition) + records.push(record);
    });
    this.#epoch.reserve(Math.max(...sequences));
    for (const [partition, records] of together) {
      let last = this.#lastGiven(partition);
      for (const some of slicesBySize(records, ({ byteLength }) => byteLength, rowBounds)) {
        last += some.length;
        const [alone] = some;
        if (some.length === 1 && alone !== undefined) insert.run(this.#placeOf(partition, last), 0, alone);
        else insert.run(this.#placeOf(partition, last), some.length, packRecords(some));
      }
      move.run(last, partition);
    }
    return sequences;
  }

  #lastGiven(partition: number): number {
    return Math.max(this.#tails[partition] ?? 0, this.#epoch.floor);
  }

  #trimSome(partition: number, through: number): number {
    const trim = this.#database.prepare(
      `DELETE FROM log_records WHERE place IN (SELECT place FROM log_records WHERE place <= ? AND ${ofPartition} ORDER BY place LIMIT ?)`,
    );
    return Number(trim.run(this.#placeOf(partition, through), this.partitions, partition, limits.logTrimRecordsMax).changes);
  }

  #placeOf(partition: number, sequence: number): number {
    return sequence * this.partitions + partition;
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Refusal)) return error;
  if (error.reason === "OUTCOME_UNKNOWN" || error.reason === "OVERLOADED") return error;
  const reason = isDiskFull(error) ? "LOG_FULL" : "LOG_UNAVAILABLE";
  return new Refusal(reason, undefined, { cause: error });
}
