/** heddle backup and heddle restore: a data folder as one file, as it was at one moment, and back. For the mesh see move.ts. */
import { copyFileSync, existsSync, renameSync, rmSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { backup as copyDatabase, DatabaseSync } from "node:sqlite";
import { limits } from "../platform/limits.ts";
import { lockDirectory, makeFolder } from "../platform/sqlite/lock.ts";
import { databaseFile, dataFolder } from "./data-folder.ts";
import { CommandError, exitCodes, print } from "./output.ts";

interface BackupOptions {
  readonly dataDir?: string;
  readonly env: NodeJS.ProcessEnv;
}

/** As for other commands: a folder that is named is meant, whatever the environment says. */
function isMesh({ dataDir, env }: { readonly dataDir: string | undefined; readonly env: NodeJS.ProcessEnv }): boolean {
  return dataDir === undefined && Boolean(env["HEDDLE_CASSANDRA_CONTACT_POINTS"]);
}

/** The copy holds everything: the log, all tables, who may call, and what waits to be applied. */
export async function backup(file: string, { dataDir, env }: BackupOptions): Promise<number> {
  if (isMesh({ dataDir, env })) return await (await import("./move.ts")).backupMesh(file, env);
  const folder = dataFolder(dataDir, env);
  const source = join(folder, databaseFile);
  if (!existsSync(source)) throw new CommandError(`There is no Heddle in the folder "${folder}"`);
  if (existsSync(file)) throw new CommandError(`"${file}" is there already: name another file`);
  const part = `${resolve(file)}.part`;
  rmSync(part, { force: true });
  const handle = new DatabaseSync(source, { readOnly: true, timeout: limits.storeBusyTimeoutMs });
  try {
    // In one go, so that what a server writes meanwhile is not in it and does not make it begin anew
    await copyDatabase(handle, part, { rate: allPages });
  } finally {
    handle.close();
  }
  checkCopy(part);
  renameSync(part, file);
  print(`${file}: ${(statSync(file).size / 1024 ** 2).toFixed(1)} MiB`);
  return exitCodes.ok;
}

/** Refuses a folder that has a Heddle, and a file that is damaged or is none of ours. */
export async function restore(file: string, { dataDir, env }: BackupOptions): Promise<number> {
  if (!existsSync(file)) throw new CommandError(`There is no file "${file}"`);
  checkCopy(file);
  if (isMesh({ dataDir, env })) return await (await import("./move.ts")).restoreMesh(file, env);
  const folder = dataFolder(dataDir, env);
  const target = join(folder, databaseFile);
  makeFolder(resolve(folder));
  const lock = lockDirectory(folder);
  try {
    const there = existsSync(target) && statSync(target).size > 0;
    if (there) throw new CommandError(`There is a Heddle in the folder "${folder}" already: name another with --data-dir`);
    const part = `${target}.part`;
    copyFileSync(file, part);
    renameSync(part, target);
  } finally {
    lock.release();
  }
  print(`${folder} is as it was when ${file} was made`);
  return exitCodes.ok;
}

function checkCopy(path: string): void {
  let found: string;
  const handle = new DatabaseSync(path, { readOnly: true });
  try {
    found = handle.prepare("PRAGMA quick_check(1)").all().map((row) => String(row["quick_check"])).join();
    if (found === "ok") handle.prepare("SELECT version FROM schema_versions WHERE name = 'profile'").get();
  } catch (error) {
    found = error instanceof Error ? error.message : String(error);
  } finally {
    handle.close();
  }
  if (found !== "ok") throw new CommandError(`"${path}" is no sound copy of a Heddle: ${found}`);
}

const allPages = 2 ** 31 - 1;
