/** Changes of a database that is not there any more: SQLite applies them to whatever is put in its place, or removes them with a new one. */
import { statSync } from "node:fs";

/** The file of changes, not empty, that stands where the database at `path` is missing or empty; undefined where none does. */
export function leftOverChanges(path: string): string | undefined {
  if (bytesOf(path) > 0) return undefined;
  return ["-wal", "-journal"].map((ending) => `${path}${ending}`).find((file) => bytesOf(file) > 0);
}

function bytesOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
