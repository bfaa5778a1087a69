/** Files that only their owner may read: they hold all that is known of people, and keys of links. */
import { chmodSync, closeSync, openSync, statSync } from "node:fs";

/** What SQLite keeps beside a database; it gives them the mode of the database when it makes them. */
export const databaseEndings: readonly string[] = ["", "-wal", "-shm", "-journal"];

/**
 * Makes the database file where it is missing and takes it, and what stands beside it, from everybody but its owner, whatever the folder,
 * the umask and earlier builds made of them. Reports a file that another user owns and that stays as it is.
 */
export function makeOwnerOnly(path: string, onFailure: (path: string, error: unknown) => void): void {
  closeSync(openSync(path, "a", ownerOnly));
  for (const ending of databaseEndings) {
    const file = `${path}${ending}`;
    try {
      if (modeForOthers(file) !== 0) chmodSync(file, ownerOnly);
    } catch (error) {
      onFailure(file, error);
    }
  }
}

/** What the file's mode grants to its group and to all others; 0 where there is no such file. */
export function modeForOthers(path: string): number {
  return (statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & groupAndOthers;
}

const ownerOnly = 0o600;
const groupAndOthers = 0o077;
