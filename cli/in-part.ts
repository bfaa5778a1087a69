/** Files that are whole or not there, and readable by their owner alone: they hold keys of links and all that is known of people. */
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { CommandError } from "./output.ts";

/** Writes beside the target and moves what is whole into its place. What an earlier attempt left there goes. */
export async function inPart<T>(target: string, write: (path: string) => Promise<T>): Promise<T> {
  return await withScratch(`${target}.part`, async (path) => {
    const written = await write(path);
    if (existsSync(target)) throw new CommandError(`"${target}" is there already`);
    renameSync(path, target);
    return written;
  });
}

/** An empty file for `work`, a database maybe, which goes after it. */
export async function withScratch<T>(path: string, work: (path: string) => Promise<T>): Promise<T> {
  clear(path);
  try {
    closeSync(openSync(path, "wx", 0o600));
    return await work(path);
  } finally {
    clear(path);
  }
}

function clear(path: string): void {
  for (const ending of ["", "-wal", "-shm", "-journal"]) rmSync(`${path}${ending}`, { force: true });
}
