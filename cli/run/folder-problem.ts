/** What heddle start says of a data folder that it cannot use. */
import { Refusal } from "../../platform/refusal.ts";
import { sqliteCode } from "../../platform/sqlite/faults.ts";
import { CommandError } from "../shell/output.ts";

/** What the operating system or SQLite say of a folder that cannot be used. A lock that is taken says it itself. */
export function folderProblem(error: unknown, dataDir: string): CommandError | undefined {
  if (!(error instanceof Error) || error instanceof Refusal || error instanceof CommandError) return undefined;
  const inner = error.cause instanceof Error ? error.cause : error;
  const code = "code" in inner ? inner.code : undefined;
  if (!("syscall" in inner) && code !== "ERR_SQLITE_ERROR") return undefined;
  const advice = systemAdvice.get(code) ?? databaseAdvice.get(sqliteCode(inner)) ??
    "Make it a folder this user may write, or set HEDDLE_DATA_DIR";
  return new CommandError(`Cannot use the data folder "${dataDir}": ${inner.message}. ${advice}`, { cause: error });
}

const full = "The disk is full, or this user's part of it is: make room, and start again";
const failing = "The disk does not read or write as it is asked: look into the log of the system, and check it";
/** Where the folder is right and the disk is not. */
const systemAdvice = new Map<unknown, string>([
  ["ENOSPC", full],
  ["EDQUOT", full],
  ["EIO", failing],
  ["EROFS", "The disk is mounted read-only: mount it so that it can be written, or set HEDDLE_DATA_DIR"],
]);

const damaged = "Its database is damaged: restore a backup into a new folder (heddle restore), and check the disk";
/** By the result code of SQLite, which says nothing of the folder itself. */
const databaseAdvice = new Map<number | undefined, string>([
  [5, "Another program has its database open: end that, and start again"],
  [10, failing],
  [11, damaged],
  [13, full],
  [26, damaged],
]);
