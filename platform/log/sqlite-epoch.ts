/** The epoch of a log in SQLite: from where it goes on, so that no sequence is given twice however old the file is that it lies in. */
import { beginAbove, beginEventsAbove } from "./epoch.ts";
import type { Clock } from "../clock.ts";
import { errorText } from "../error-text.ts";
import { newId } from "../identifier.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import type { Database } from "../sqlite/database.ts";
import type { Reach, ReachFile } from "./reach-file.ts";

export interface SqliteEpoch {
  /** The first sequence of the epoch. */
  readonly begins: number;
  /** What is given out next lies above. */
  readonly floor: number;
  /** Before a sequence is written. Throws STORE_UNAVAILABLE where it may not be given out. */
  reserve(sequence: number): void;
  /** It is durable. */
  gave(sequence: number): void;
  /** All that was given out, exactly. */
  close(tail: number): void;
}

/** Owner `log`: `number` counts how often the log began anew, `begins` is the first sequence since, and `floor` lies below what comes. */
export const epochSchema = `CREATE TABLE log_epoch (
    one INTEGER PRIMARY KEY CHECK (one = 1), log_id TEXT NOT NULL, number INTEGER NOT NULL, begins INTEGER NOT NULL, floor INTEGER NOT NULL
  ) STRICT;`;

interface EpochRow {
  readonly logId: string;
  readonly number: number;
  readonly begins: number;
  readonly floor: number;
}

export interface SqliteEpochDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Without it a file that was put back goes unnoticed. */
  readonly reach?: ReachFile;
}

export async function openSqliteEpoch({ database, clock, logger, reach }: SqliteEpochDeps): Promise<SqliteEpoch> {
  const found = reach?.load();
  const row = await database.write(() => {
    const given = givenThrough(database);
    const known = readRow(database);
    const kind = known === undefined && found === undefined ? "fits" : judgeReach(found, known, given);
    const next = nextRow({ kind, known, given, found, now: clock.now(), logId: known?.logId ?? found?.logId ?? newId("log_", clock) });
    if (kind === "older") beginEvents(database, clock.now());
    if (next.floor !== known?.floor || next.number !== known.number) {
      database.prepare(putRow).run(next.logId, next.number, next.begins, next.floor);
    }
    return { ...next, kind, given };
  });
  if (row.kind === "older") {
    logger.warn("log_put_back", { epoch: row.number, begins: row.begins, had: row.given, gaveUpTo: found?.ceiling ?? 0 });
  }
  return reaching(row, { clock, logger, ...(reach && { reach }) });
}

/** Begins a new epoch in a database that was put back on purpose, behind what it may have given out. */
export async function beginSqliteEpoch(database: Database, clock: Clock): Promise<void> {
  await database.write(() => {
    const known = readRow(database);
    const begins = beginAbove(Math.max(1, givenThrough(database)), clock.now());
    database.prepare(putRow).run(known?.logId ?? newId("log_", clock), (known?.number ?? 0) + 1, begins, begins - 1);
    beginEvents(database, clock.now());
  });
}

/** The last sequence that the log gave, and below which it gives none any more. */
export function givenThrough(database: Database): number {
  const tail = Number(database.prepare("SELECT max(sequence) AS sequence FROM log_tails").get()?.["sequence"] ?? 0);
  return Math.max(tail, readRow(database)?.floor ?? 0);
}

/**
 * Whether the file that lies in the folder has all that was given out: "older" has not; of one that "may miss some" a process
 * was killed before it noted how far it was.
 */
export function judgeReach(
  found: Reach | undefined,
  known: Pick<EpochRow, "logId" | "number"> | undefined,
  given: number,
): "fits" | "may miss some" | "older" {
  // A folder of before, or one that was moved without what lies beside the file
  if (found === undefined) return "fits";
  if (known?.logId !== found.logId) return "older";
  // A restore began its epoch on purpose, or a process was killed when it had begun one
  if (known.number > found.number) return given < found.ceiling ? "older" : "fits";
  if (known.number < found.number || given < found.noted) return "older";
  return given < found.ceiling && found.ceiling > found.noted ? "may miss some" : "fits";
}

interface NextDeps {
  readonly kind: ReturnType<typeof judgeReach>;
  readonly known: EpochRow | undefined;
  readonly given: number;
  readonly found: Reach | undefined;
  readonly now: number;
  readonly logId: string;
}

function nextRow({ kind, known, given, found, now, logId }: NextDeps): EpochRow {
  const row = known ?? { logId, number: 0, begins: 1, floor: 0 };
  const ceiling = found?.ceiling ?? 0;
  if (kind === "fits") return row;
  if (kind === "may miss some") return { ...row, floor: Math.max(row.floor, ceiling) };
  const begins = beginAbove(Math.max(given, ceiling), now);
  return { logId, number: Math.max(row.number, found?.number ?? 0) + 1, begins, floor: begins - 1 };
}

function reaching(
  { logId, number, begins, floor, given }: EpochRow & { readonly given: number },
  { clock, logger, reach }: Pick<SqliteEpochDeps, "clock" | "logger" | "reach">,
): SqliteEpoch {
  let ceiling = Math.max(given, floor);
  let last = ceiling;
  let noteAt = clock.monotonic();
  let isWritten = true;
  function now(): Reach {
    return { logId, number, ceiling, noted: last };
  }
  /** What is given out does not depend on it: without it the next start knows less exactly how far the log went. */
  function tryTo(write: () => void): void {
    try {
      write();
      isWritten = true;
    } catch (error) {
      if (isWritten) logger.warn("log_reach_not_written", { error: errorText(error) });
      isWritten = false;
    }
  }
  tryTo(() => reach?.reserve(now()));
  return {
    begins,
    floor,
    reserve(sequence) {
      if (sequence <= ceiling) return;
      const next = sequence + limits.epochReserved;
      try {
        reach?.reserve({ ...now(), ceiling: next });
      } catch (error) {
        throw new Refusal("STORE_UNAVAILABLE", "How far the log goes cannot be written", { cause: error });
      }
      ceiling = next;
    },
    gave(sequence) {
      last = Math.max(last, sequence);
      if (reach === undefined || clock.monotonic() < noteAt) return;
      noteAt = clock.monotonic() + limits.epochNoteMs;
      tryTo(() => reach.note(now()));
    },
    close(tail) {
      last = Math.max(last, tail);
      ceiling = last;
      tryTo(() => reach?.reserve(now()));
    },
  };
}

function readRow(database: Database): EpochRow | undefined {
  const row = database.prepare("SELECT log_id, number, begins, floor FROM log_epoch").get();
  if (row === undefined) return undefined;
  return { logId: String(row["log_id"]), number: Number(row["number"]), begins: Number(row["begins"]), floor: Number(row["floor"]) };
}

/** Places of events are given to readers too. The table is that of platform/events; a database may have none yet. */
function beginEvents(database: Database, now: number): void {
  const has = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'events_kept'").get();
  if (has === undefined) return;
  const last = Number(database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'events_kept'").get()?.["seq"] ?? 0);
  const place = beginEventsAbove(Math.max(1, last), now) - 1;
  database.prepare("DELETE FROM sqlite_sequence WHERE name = 'events_kept'").run();
  database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES ('events_kept', ?)").run(place);
}

const putRow = `INSERT INTO log_epoch (one, log_id, number, begins, floor) VALUES (1, ?, ?, ?, ?)
  ON CONFLICT (one) DO UPDATE SET log_id = excluded.log_id, number = excluded.number, begins = excluded.begins, floor = excluded.floor`;
