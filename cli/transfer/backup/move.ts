/** heddle backup and heddle restore by rows: out of the mesh into a file, out of a file into a new mesh, and of one workspace alone. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { AccessAdmin } from "../../../gateway/access/admin/admin.ts";
import type { AccessRows } from "../../../gateway/access/rows.ts";
import { openAccess } from "../../../gateway/access/store/sqlite.ts";
import { writesOf } from "../../../gateway/access/row-set.ts";
import { systemClock } from "../../../platform/clock.ts";
import { beginLogsAbove, haveLogs, lookAtLogs } from "../../../platform/epoch/at-rest.ts";
import { beginSqliteLogAbove, beginSqliteLogAnew, sqliteLogEnd } from "../../../platform/log/sqlite.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { readEvents, readStreams } from "../../../platform/mesh-config.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { withAccessTarget } from "../../target/access-target.ts";
import { type BackupContent, copyDatabaseOf, sealBackup } from "./backup-file.ts";
import { partitions, workspacePath } from "../../target/data-folder.ts";
import { openEpochKeyspaces } from "../../target/epoch-keyspaces.ts";
import { inPart, withScratch } from "../../shell/in-part.ts";
import { chooseMoved, type MoveChoice, type Wanted } from "./move-choice.ts";
import { copyMoved } from "./move-copy.ts";
import { type MoveProgress, openMoveProgress } from "./move-progress.ts";
import { untilApplied } from "./move-rest.ts";
import { folderSide, meshSide, type MoveSide } from "./move-sides.ts";
import { CommandError, isoTime } from "../../shell/output.ts";
import { readSettings } from "../../target/settings.ts";

type Env = NodeJS.ProcessEnv;
const deps = { clock: systemClock, logger: silentLogger };

export interface MeshBackup {
  readonly file: string;
  readonly env: Env;
  readonly wanted: Wanted;
}

/** What was moved. */
export interface Moved {
  /** As `company/workspace`. */
  readonly workspaces: readonly string[];
  /** What of the company did not come along, in words. */
  readonly leftOut: readonly string[];
  /** Keys of links that did not, in words. */
  readonly linkKeysLeftOut: readonly string[];
}

/** The parts of the mesh run, so that what was accepted is applied; refuses where a process writes. */
export async function backupMesh({ file, env, wanted }: MeshBackup): Promise<Moved> {
  const streams = readSettings(env, readStreams);
  const choice = chooseMoved(await withAccessTarget({ env }, (access) => access.rows()), wanted);
  const before = await untilApplied(env);
  return await intoFile(file, choice, async (path) => {
    const mesh = await meshSide(env);
    let keysLeftOut: string[];
    try {
      keysLeftOut = await copyIntoDatabase(mesh, path, { choice, through: before.through });
    } finally {
      await mesh.close();
    }
    const after = await lookAtLogs(streams, deps);
    if (after.mark === before.mark) return keysLeftOut;
    throw new CommandError(
      "Something was written meanwhile: back up again with --pause-writes, or stop the gateways and whatever else writes",
    );
  });
}

/** One workspace of the database at `source`, which no process writes, as a file of its own. */
export async function backupWorkspace(file: string, source: string, wanted: Wanted): Promise<Moved> {
  return await withMovable(source, wanted, async ({ side, choice, through }) => {
    return await intoFile(file, choice, (path) => copyIntoDatabase(side, path, { choice, through }));
  });
}

/** One workspace of the file as the database of a new data folder at `target`. */
export async function restoreWorkspace(
  file: string,
  { bytes }: BackupContent,
  { target, wanted }: { readonly target: string; readonly wanted: Wanted },
): Promise<Moved> {
  return await withScratch(`${target}.whole`, async (source) => {
    copyDatabaseOf(file, bytes, source);
    return await withMovable(source, wanted, async ({ side, choice, through }) => {
      return await inPart(
        target,
        async (path) => movedOf(choice, await copyIntoDatabase(side, path, { choice, through, isNewFolder: true })),
      );
    });
  });
}

/** Into a mesh that is migrated and in which no part ever ran, or where the same restore stopped half way. */
export async function restoreMesh(file: string, content: BackupContent, { env, wanted }: Omit<MeshBackup, "file">): Promise<Moved> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-restore-"));
  try {
    // What is opened is brought to this build's tables; the file that was given stays as it is
    return await withScratch(join(folder, "heddle.db"), async (path) => {
      copyDatabaseOf(file, content.bytes, path);
      return await withMovable(path, wanted, async (from) => {
        return movedOf(from.choice, await intoMesh(from, { env, file, id: [content.sha256, ...from.choice.workspaceIds].join(" ") }));
      });
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Movable {
  readonly side: MoveSide;
  readonly choice: MoveChoice;
  /** Where its log ends. */
  readonly through: number;
}

/** Opens a database of this process alone, and refuses it where it is not at rest. */
async function withMovable<T>(path: string, wanted: Wanted, work: (from: Movable) => Promise<T>): Promise<T> {
  const database = openDatabase({ path });
  try {
    const side = await folderSide(database);
    const through = await sqliteLogEnd(database);
    await refuseWaiting(side);
    return await work({ side, through, choice: chooseMoved(await accessRows(database), wanted) });
  } finally {
    await database.close();
  }
}

/** Who may call comes last: until then gateways know no caller, and the restore can be repeated. */
async function intoMesh(
  { side, choice, through }: Movable,
  { env, ...restored }: { readonly env: Env; readonly id: string; readonly file: string },
): Promise<string[]> {
  const streams = readSettings(env, readStreams);
  const { openMeshAccess, readMeshAccess } = await import("../../../gateway/mesh-access.ts");
  const mesh = await meshSide(env);
  try {
    const { access, restores, close } = await openMeshAccess(readSettings(env, readMeshAccess), deps);
    try {
      const begun = await restores.begun();
      const isUsed = access.rows().companies.length > 0 || begun === undefined && await haveLogs(streams, deps);
      if (isUsed) refuseUsed("There is a Heddle in this mesh already:");
      if (begun !== undefined && begun.id !== restored.id) {
        refuseUsed(`A restore of "${begun.file}" stopped half way here: repeat it with the same file and options, or`);
      }
      await restores.begin({ ...restored, startedAt: systemClock.now() });
      return await withProgress(async (progress) => {
        const keysLeftOut = await copyMoved(side, mesh, { choice, through, progress });
        progress.begin("who may call");
        await beginEpoch(env, through);
        await putAccess(access, choice.rows);
        return keysLeftOut;
      });
    } finally {
      await close();
    }
  } finally {
    await mesh.close();
  }
}

/** The log goes on above, in an epoch that the rows know. */
async function beginEpoch(env: Env, through: number): Promise<void> {
  const config = readSettings(env, (reader) => ({ streams: readStreams(reader), events: readEvents(reader) }));
  const epoch = await beginLogsAbove(config, through, deps);
  const keyspaces = await openEpochKeyspaces(env);
  try {
    for (const { watermarks } of keyspaces.all) await watermarks.begin(epoch, undefined);
  } finally {
    await keyspaces.close();
  }
}

function refuseUsed(what: string): never {
  throw new CommandError(`${what} name other keyspaces and another HEDDLE_LOG_NAME`);
}

/** The file appears only once it is whole. */
async function intoFile(file: string, choice: MoveChoice, write: (path: string) => Promise<string[]>): Promise<Moved> {
  return await inPart(resolve(file), async (path) => {
    const keysLeftOut = await write(path);
    sealBackup(path, { madeAt: isoTime(systemClock.now()) });
    return movedOf(choice, keysLeftOut);
  });
}

async function copyIntoDatabase(
  from: MoveSide,
  path: string,
  { choice, through, isNewFolder = false }: Omit<Movable, "side"> & { readonly isNewFolder?: boolean },
): Promise<string[]> {
  const database = openDatabase({ path });
  try {
    await refuseWaiting(from);
    const to = await folderSide(database);
    const keysLeftOut = await withProgress((progress) => copyMoved(from, to, { choice, through, progress }));
    await beginSqliteLogAbove(database, through, partitions);
    if (isNewFolder) await beginSqliteLogAnew(database, systemClock);
    const access = await openAccess({ database, clock: systemClock });
    try {
      await putAccess(access, choice.rows);
    } finally {
      access.close();
    }
    return keysLeftOut;
  } finally {
    await database.close();
  }
}

async function withProgress<T>(work: (progress: MoveProgress) => Promise<T>): Promise<T> {
  const progress = openMoveProgress(process.stderr, () => systemClock.monotonic());
  try {
    return await work(progress);
  } finally {
    progress.end();
  }
}

async function refuseWaiting(side: MoveSide): Promise<void> {
  const found = [
    {
      what: side.unapplied(),
      advice:
        "what is not applied cannot be moved. Where a server runs on the folder, try again; otherwise start one until heddle log status " +
        "shows nothing behind, stop it while nobody writes, and back up again",
    },
    { what: await side.waiting(), advice: "see heddle log status; what waits cannot be moved, so redrive it or pass over it first" },
  ].filter(({ what }) => what.length > 0);
  if (found.length > 0) throw new CommandError(found.map(({ what, advice }) => `${what.join(", ")}: ${advice}`).join("\n"));
}

async function accessRows(database: Database): Promise<AccessRows> {
  const access = await openAccess({ database, clock: systemClock });
  access.close();
  return access.rows();
}

async function putAccess(access: AccessAdmin, rows: AccessRows): Promise<void> {
  await access.transact(() => ({ writes: writesOf(rows), result: undefined }));
}

function movedOf({ rows, leftOut }: MoveChoice, linkKeysLeftOut: readonly string[]): Moved {
  return { workspaces: rows.workspaces.map((workspace) => workspacePath(rows, workspace)), leftOut, linkKeysLeftOut };
}
