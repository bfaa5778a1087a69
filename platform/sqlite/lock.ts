/** One server to a data folder: an exclusive lock that the kernel lets go when the process dies, however it dies. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Refusal } from "../refusal.ts";
import { sqliteCode } from "./faults.ts";

export interface DirectoryLock {
  release(): void;
}

const busyCode = 5;

/**
 * Makes the folder where it is missing and takes it for this process, by an exclusive transaction on `heddle.lock`
 * that stays open for life (advisory byte-range locks: nothing to clean up after `kill -9`).
 * Refuses STATE_CONFLICT when another process has it.
 */
export function lockDirectory(path: string): DirectoryLock {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const handle = new DatabaseSync(join(path, "heddle.lock"), { timeout: 0, defensive: true });
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
