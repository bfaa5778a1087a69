/** What an error of SQLite means for a write: ours to report, the machine's, and whether it may have happened. */
import { Refusal } from "../refusal.ts";

/** Primary result codes (sqlite.org/rescode.html) that say the store failed, not the statement. */
const storeCodes = new Map([
  [5, "busy"],
  [7, "out of memory"],
  [8, "read-only"],
  [9, "interrupted"],
  [10, "input or output failed"],
  [11, "damaged file"],
  [13, "disk full"],
  [14, "cannot open"],
  [15, "lock protocol"],
  [22, "feature missing"],
  [26, "not a database"],
]);

const fullCode = 13;
const inputOutputCode = 10;
/** SQLITE_IOERR_FSYNC. */
const syncCode = 1034;
/** Busy, full, and a deferred constraint: found before the commit record is complete. */
const refusedAtCommit: readonly (number | undefined)[] = [5, fullCode, 19];

/** The primary result code of an error that SQLite raised, else undefined. */
export function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

function extendedCode(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const { errcode, code } = error as { errcode?: unknown; code?: unknown };
  if (typeof errcode === "number") return errcode;
  return code === "ERR_SQLITE_ERROR" ? codeOfText.get(error.message) : undefined;
}

/** What exec() of Deno throws has the text of SQLite and no code. */
const codeOfText = new Map([
  ["database is locked", 5],
  ["attempt to write a readonly database", 8],
  ["disk I/O error", inputOutputCode],
  ["database disk image is malformed", 11],
  ["database or disk is full", fullCode],
  ["unable to open database file", 14],
  ["file is not a database", 26],
]);

/** True where the store itself failed, so a neighbour's write would fail as well. */
export function isStoreFault(error: unknown): boolean {
  const code = sqliteCode(error);
  return code !== undefined && storeCodes.has(code);
}

/**
 * True where SQLite could not sync a file: of what it wrote before, some may be lost, and asked again the kernel says that it is not. Without an
 * extended code it may be one of these.
 */
export function isSyncFault(error: unknown): boolean {
  const code = extendedCode(error);
  return code === inputOutputCode || code === syncCode;
}

/** True where a refusal, or what caused it, is a full disk. */
export function isDiskFull(error: unknown): boolean {
  for (let current = error; current instanceof Error; current = current.cause) {
    if (sqliteCode(current) === fullCode || ("code" in current && current.code === "ENOSPC")) return true;
  }
  return false;
}

/** A write that failed before its COMMIT was tried: certainly not written. */
export function notWritten(cause: unknown): Refusal {
  const what = storeCodes.get(sqliteCode(cause) ?? -1) ?? "unknown fault";
  return new Refusal("STORE_UNAVAILABLE", `The store took nothing: ${what}`, { cause });
}

/**
 * A COMMIT that failed. A failed fsync (and whatever else is not known to come earlier) may leave a complete commit
 * record in the WAL, which a crash right after would bring to life.
 */
export function commitFailed(cause: unknown): Refusal {
  if (refusedAtCommit.includes(sqliteCode(cause))) return notWritten(cause);
  return new Refusal("OUTCOME_UNKNOWN", "The store could not say whether it committed", { cause });
}
