/** A folder of backups: each called by its time, and only the newest of them kept. */
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** `heddle-20261123T031700Z.db`: sorted as they were made. */
export function backupFileIn(folder: string, now: number): string {
  return join(folder, `heddle-${new Date(now).toISOString().replaceAll(/[-:]|[.]\d+/g, "")}.db`);
}

/** Removes all but the newest `keep`, and what backups left that were killed before the oldest of these. Other files are left alone. */
export function removeOldBackups(folder: string, keep: number): readonly string[] {
  const names = readdirSync(folder).sort();
  const kept = names.filter((name) => backupName.test(name)).slice(-keep);
  const [oldest = ""] = kept;
  const old = names.filter((name) => ourName.test(name) && name < oldest);
  for (const name of old) rmSync(join(folder, name));
  return old.filter((name) => backupName.test(name));
}

const backupName = /^heddle-\d{8}T\d{6}Z[.]db$/;
const ourName = /^heddle-\d{8}T\d{6}Z[.]db(?:[.]part(?:-wal|-shm|-journal)?)?$/;
