/** A folder of backups: each called by its time, and only the newest of them kept. */
import { readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** `heddle-20261123T031700Z.db`: sorted as they were made. */
export function backupFileIn(folder: string, now: number): string {
  return join(folder, `heddle-${new Date(now).toISOString().replaceAll(/[-:]|[.]\d+/g, "")}.db`);
}

/**
 * Removes all but the newest `keep`, and what backups left that were killed before the oldest of these. Other files are left alone. The one
 * just made is the newest, whatever its name says: the clock may have been ahead when others were made.
 */
export function removeOldBackups(made: string, keep: number): readonly string[] {
  const folder = dirname(made);
  const names = readdirSync(folder).sort();
  const others = names.filter((name) => backupName.test(name) && name !== basename(made));
  const old = others.slice(0, Math.max(0, others.length - (keep - 1)));
  const [oldest = ""] = [basename(made), ...others.slice(old.length)].sort();
  const halves = names.filter((name) => halfName.test(name) && name < oldest);
  for (const name of [...old, ...halves]) rmSync(join(folder, name));
  return old;
}

const backupName = /^heddle-\d{8}T\d{6}Z[.]db$/;
const halfName = /^heddle-\d{8}T\d{6}Z[.]db[.](?:part|whole)(?:-wal|-shm|-journal)?$/;
