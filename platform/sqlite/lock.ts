/** One server to a data folder: an exclusive lock that the kernel lets go when the process dies, however it dies. */
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { sqliteCode } from "./faults.ts";
import { makeOwnerOnly } from "./owner-only.ts";

export interface DirectoryLock {
  release(): void;
}

const busyCode = 5;
const lockFile = "heddle.lock";

/**
 * Makes the folder where it is missing and takes it for this process, by an exclusive transaction on `heddle.lock`
 * that stays open for life (advisory byte-range locks: nothing to clean up after `kill -9`).
 * Refuses STATE_CONFLICT when another process has it, which is asked for longer than one that only looks (isLocked) takes.
 */
export function lockDirectory(path: string): DirectoryLock {
  makeFolder(resolve(path));
  makeOwnerOnly(join(path, lockFile), ignore);
  const handle = new DatabaseSync(join(path, lockFile), { timeout: limits.folderLookMsMax, defensive: true });
  try {
    // Not exec(): under Deno its errors carry no result code
    handle.prepare("BEGIN EXCLUSIVE").run();
  } catch (cause) {
    handle.close();
    if (sqliteCode(cause) !== busyCode) throw new Error(`Cannot lock the data folder "${path}"`, { cause });
    throw new Refusal("STATE_CONFLICT", `Another Heddle uses the data folder "${path}": stop it, or choose another folder`, {
      cause,
    });
  }
  return { release: () => handle.isOpen && handle.close() };
}

/** Whether a process has the folder. Reads alone, which others who look may do at the same time. */
export function isLocked(path: string): boolean {
  const file = join(path, lockFile);
  if (!existsSync(file)) return false;
  let handle: DatabaseSync | undefined;
  try {
    handle = new DatabaseSync(file, { readOnly: true, timeout: 0, defensive: true });
    handle.prepare("SELECT 1 FROM sqlite_schema").get();
    return false;
  } catch (error) {
    return sqliteCode(error) === busyCode;
  } finally {
    handle?.close();
  }
}

/** The lock holds nothing. */
function ignore(): void {}

const folderMode = 0o700;

/**
 * Makes a folder and those above it. Node's own recursion never ends where a file system (/proc) says ENOENT of a
 * folder whose parent is there, so the topmost missing one is made alone. (Deno hides what is above, and has no such fault.)
 */
export function makeFolder(path: string): void {
  if (isThere(path)) return;
  let top = path;
  while (dirname(top) !== top && !isThere(dirname(top))) top = dirname(top);
  try {
    mkdirSync(top, { mode: folderMode });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") throw error;
  }
  mkdirSync(path, { recursive: true, mode: folderMode });
}

function isThere(path: string): boolean {
  try {
    return existsSync(path);
  } catch {
    return false;
  }
}
