/** Files that are whole or not there, and readable by their owner alone: they hold keys of links and all that is known of people. */
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { leftOverChanges } from "../../platform/sqlite/left-over.ts";
import { syncFolder } from "../../platform/sync-folder.ts";
import { databaseEndings } from "../../platform/sqlite/owner-only.ts";
import { withUndo } from "./interrupts.ts";
import { CommandError } from "./output.ts";

/**
 * Writes beside the target and moves what is whole into its place. What an earlier attempt left there goes; changes of a database that
 * was at the target are refused.
 */
export async function inPart<T>(target: string, write: (path: string) => Promise<T>): Promise<T> {
  refuseChangesBeside(target);
  return await withScratch(`${target}.part`, async (path, moveTo) => {
    const written = await write(path);
    if (existsSync(target)) throw new CommandError(`"${target}" is there already`);
    rmSync(`${target}-shm`, { force: true });
    moveTo(target);
    return written;
  });
}

/** SQLite would apply them to whatever is put there, and they may be the only copy of what they hold, so nothing deletes them. */
export function refuseChangesBeside(target: string): void {
  const found = leftOverChanges(target);
  if (found === undefined) return;
  throw new CommandError(
    `"${found}" has changes of a database that was here, which may be nowhere else: name another place, or move that file away first`,
  );
}

/**
 * An empty file for `work`, a database maybe, which goes after it, and where the command is interrupted, unless `work` moved it into its place, for good.
 * Where another command has begun with the same file meanwhile, the file is that one's: nothing is moved, which is an error, and nothing goes.
 */
export async function withScratch<T>(path: string, work: (path: string, moveTo: (target: string) => void) => Promise<T>): Promise<T> {
  let own: number | undefined;
  function inode(): number | undefined {
    return statSync(path, { throwIfNoEntry: false })?.ino;
  }
  function moveTo(target: string): void {
    if (inode() !== own) throw new CommandError(`Another command writes "${path}", too: run this one again when that has ended`);
    renameSync(path, target);
    syncFolder(dirname(target));
  }
  function remove(): void {
    // What a database has beside it stays when it is moved
    const there = inode();
    if (there === undefined || there === own) clear(path);
  }
  clear(path);
  process.on("exit", remove);
  try {
    // A signal ends the process by an exit, which removes
    return await withUndo(() => Promise.resolve(), async () => {
      closeSync(openSync(path, "wx", 0o600));
      own = statSync(path).ino;
      return await work(path, moveTo);
    });
  } finally {
    process.off("exit", remove);
    remove();
  }
}

function clear(path: string): void {
  for (const ending of databaseEndings) rmSync(`${path}${ending}`, { force: true });
}
