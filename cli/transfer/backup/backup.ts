/** heddle backup and heddle restore: a data folder as one file, as it was at one moment, and back. By rows, as for the mesh, see move.ts. */
import { existsSync, rmSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { backup as copyDatabase, DatabaseSync } from "node:sqlite";
import { errorText } from "../../../platform/error-text.ts";
import { systemClock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { beginSqliteLogAnew } from "../../../platform/log/sqlite.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { lockDirectory, makeFolder } from "../../../platform/sqlite/lock.ts";
import { backupFileIn, removeOldBackups } from "./backup-folder.ts";
import { checkBackup, copyDatabaseOf, sealBackup, sizeOf, unsound } from "./backup-file.ts";
import { databaseFile, dataFolder, isMesh } from "../../target/data-folder.ts";
import { inPart, refuseChangesBeside, withScratch } from "../../shell/in-part.ts";
import type { Moved } from "./move.ts";
import { CommandError, exitCodes, isoTime, type JsonOption, printResult, UsageError } from "../../shell/output.ts";

interface BackupOptions extends JsonOption {
  readonly dataDir?: string;
  /** One workspace alone. */
  readonly workspace?: string;
  readonly sharedLinkKeys?: boolean;
  /** Of the mesh: gateways take no writes meanwhile. */
  readonly pauseWrites?: boolean;
  /** Where a folder is named: how many of its backups stay, the newest. */
  readonly keep?: number;
  readonly env: NodeJS.ProcessEnv;
}

/** The copy holds everything: the log, all tables, who may call, and what waits to be applied. */
export async function backup(target: string, options: BackupOptions): Promise<number> {
  const isFolder = statSync(target, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (options.keep !== undefined && !isFolder) throw new UsageError(`Expected a folder with --keep, got "${target}"`);
  if (options.pauseWrites && !isMesh(options)) {
    throw new UsageError("--pause-writes is for the mesh: a data folder is copied while it is written");
  }
  const file = isFolder ? backupFileIn(target, systemClock.now()) : target;
  const code = await backUp(file, options);
  if (options.keep !== undefined) removeOldBackups(file, options.keep);
  return code;
}

async function backUp(file: string, options: BackupOptions): Promise<number> {
  const { dataDir, env, workspace, sharedLinkKeys, pauseWrites } = options;
  const wanted = { workspace, sharedLinkKeys };
  if (existsSync(file)) throw new CommandError(`"${file}" is there already: name another file`);
  const above = dirname(resolve(file));
  if (!existsSync(above)) throw new CommandError(`There is no folder "${above}": make it, or name another file`);
  if (isMesh(options)) {
    const { backupMesh } = await import("./move.ts");
    if (!pauseWrites) return saved(file, options, await backupMesh({ file, env, wanted }));
    const [{ withPausedWrites }, { untilBacklogApplied }] = await Promise.all([import("./paused-writes.ts"), import("./move-rest.ts")]);
    await untilBacklogApplied(env);
    return saved(file, options, await withPausedWrites(env, () => backupMesh({ file, env, wanted })));
  }
  const folder = dataFolder(dataDir, env);
  const source = join(folder, databaseFile);
  if (!existsSync(source)) throw new CommandError(`There is no Heddle in the folder "${folder}"`);
  if (workspace !== undefined) {
    const { backupWorkspace } = await import("./move.ts");
    // A copy of all, which is of one moment, and of it the one
    const moved = await withScratch(`${resolve(file)}.whole`, async (path) => {
      await copyWhole(source, path);
      return await backupWorkspace(file, path, wanted);
    });
    return saved(file, options, moved);
  }
  await inPart(resolve(file), async (path) => {
    await copyWhole(source, path);
    sealBackup(path, { madeAt: isoTime(systemClock.now()) });
  });
  return saved(file, options, undefined);
}

/** `moved`: what went by rows; undefined where the file is a copy of all. */
function saved(file: string, options: JsonOption, moved: Moved | undefined): number {
  const text = moved === undefined
    ? `${file}: ${sizeOf(file)}`
    : [...keyLines(moved), `${file}: ${sizeOf(file)}, ${countOf(moved)}`, notMoved, ...leftOutLine(moved)].join("\n");
  printResult(options, { file, bytes: statSync(file).size, ...moved }, text);
  return exitCodes.ok;
}

const notMoved = "Not among it: past events, and which request set a field";

function countOf({ workspaces }: Moved): string {
  return workspaces.length === 1 ? `the workspace ${workspaces.join()}` : `${workspaces.length} workspaces`;
}

function leftOutLine(moved: Moved | undefined): string[] {
  return moved === undefined || moved.leftOut.length === 0 ? [] : [`Left out, as it is the company's: ${moved.leftOut.join(", ")}`];
}

function keyLines(moved: Moved | undefined): string[] {
  return (moved?.linkKeysLeftOut ?? []).map((text) => `Left out: ${text}`);
}

/** In one go, so that what a server writes meanwhile is not in it and does not make it begin anew. */
async function copyWhole(source: string, path: string): Promise<void> {
  const handle = new DatabaseSync(source, { readOnly: true, timeout: limits.storeBusyTimeoutMs });
  try {
    await copyDatabase(handle, path, { rate: allPages });
  } finally {
    handle.close();
  }
  lookInto(path);
}

/** Refuses a folder that has a Heddle, and a file that is damaged or is none of ours, before anything is written. */
export async function restore(file: string, options: BackupOptions): Promise<number> {
  const { dataDir, env, workspace, sharedLinkKeys } = options;
  const wanted = { workspace, sharedLinkKeys };
  if (!existsSync(file)) throw new CommandError(`There is no file "${file}"`);
  const content = checkBackup(file);
  if (content.note === undefined) lookInto(file);
  if (isMesh(options)) {
    const moved = await (await import("./move.ts")).restoreMesh(file, content, { env, wanted });
    const text = [...keyLines(moved), `${countOf(moved)} of ${file} in the mesh`, notMoved, ...leftOutLine(moved)].join("\n");
    printResult(options, { file, madeAt: content.note?.madeAt ?? null, dataDir: null, ...moved }, text);
    return exitCodes.ok;
  }
  const folder = dataFolder(dataDir, env);
  const target = join(folder, databaseFile);
  makeFolder(resolve(folder));
  const lock = lockDirectory(folder);
  let moved: Moved | undefined;
  try {
    const there = existsSync(target) && statSync(target).size > 0;
    if (there) throw new CommandError(`There is a Heddle in the folder "${folder}" already: name another with --data-dir`);
    refuseChangesBeside(target);
    rmSync(target, { force: true });
    if (workspace === undefined) {
      await inPart(target, async (path) => {
        copyDatabaseOf(file, content.bytes, path);
        await beginEpochOf(path);
      });
    } else moved = await (await import("./move.ts")).restoreWorkspace(file, content, { target, wanted });
  } finally {
    lock.release();
  }
  const what = workspace === undefined ? "is" : `has the workspace ${workspace}`;
  const text = `${folder} ${what} as it was when ${file} was made${content.note ? `, at ${content.note.madeAt}` : ""}`;
  const result = { file, madeAt: content.note?.madeAt ?? null, dataDir: folder, ...moved };
  printResult(options, result, [...keyLines(moved), ...leftOutLine(moved), text].join("\n"));
  return exitCodes.ok;
}

/** What was given out since the copy was made, positions and ids, is not given out again. */
async function beginEpochOf(path: string): Promise<void> {
  const database = openDatabase({ path });
  try {
    await beginSqliteLogAnew(database, systemClock);
  } finally {
    await database.close();
  }
}

/** Where nothing says what the bytes must be: whether it is a database, sound in its structure, and one of a Heddle. */
function lookInto(path: string): void {
  let found: string;
  const handle = new DatabaseSync(path, { readOnly: true });
  try {
    found = handle.prepare("PRAGMA quick_check(1)").all().map((row) => String(row["quick_check"])).join();
    if (found === "ok") handle.prepare("SELECT version FROM schema_versions WHERE name = 'profile'").get();
  } catch (error) {
    found = errorText(error);
  } finally {
    handle.close();
  }
  if (found !== "ok") throw unsound(path, found);
}

const allPages = 2 ** 31 - 1;
