/** heddle backup and heddle restore of the mesh: what is at rest in it as the file of a data folder, and such a file in a new mesh. */
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

import type { AccessAdmin } from "../gateway/access/admin.ts";
import type { AccessRows } from "../gateway/access/rows.ts";
import { openAccess } from "../gateway/access/sqlite.ts";
import { systemClock } from "../platform/clock.ts";
import { beginLogsAbove, haveLogs, lookAtLogs } from "../platform/lane/at-rest.ts";
import { limits } from "../platform/limits.ts";
import { beginSqliteLogAbove, sqliteLogEnd } from "../platform/log/sqlite.ts";
import { silentLogger } from "../platform/logger.ts";
import { readPeer, readStreams } from "../platform/mesh-config.ts";
import { connectClient } from "../platform/rpc/client.ts";
import { type Database, openDatabase } from "../platform/sqlite/database.ts";
import { LogService } from "../proto/gen/heddle/log/v1/log_service_pb.ts";
import { withAccessPlace } from "./access-place.ts";
import { chooseMoved, writesOf } from "./move-choice.ts";
import { copyMoved } from "./move-copy.ts";
import { openMoveProgress } from "./move-progress.ts";
import { folderSide, meshSide, type MoveSide } from "./move-sides.ts";
import { CommandError, exitCodes, print } from "./output.ts";
import { readSettings } from "./settings.ts";

type Env = NodeJS.ProcessEnv;
const parts = { clock: systemClock, logger: silentLogger };

/** The parts of the mesh run, so that what was accepted is applied; nobody writes, or it refuses. */
export async function backupMesh(file: string, env: Env): Promise<number> {
  if (existsSync(file)) throw new CommandError(`"${file}" is there already: name another file`);
  const streams = readSettings(env, readStreams);
  const rows = await withAccessPlace({ env }, { create: false }, (access) => access.rows());
  const part = `${resolve(file)}.part`;
  for (const path of [part, `${part}-wal`, `${part}-shm`]) rmSync(path, { force: true });
  const before = await untilApplied(env);
  const mesh = await meshSide(env);
  const database = openDatabase({ path: part });
  try {
    await refuseWaiting(mesh);
    const folder = await folderSide(database);
    const choice = chooseMoved(rows, undefined);
    await copyMoved(mesh, folder, { choice, through: before.through, progress: openProgress() });
    await beginSqliteLogAbove(database, before.through, embeddedPartitions);
    await putAccess(database, rows);
  } finally {
    await mesh.close();
    await database.close();
  }
  const after = await lookAtLogs(streams, parts);
  if (after.mark !== before.mark) {
    rmSync(part, { force: true });
    throw new CommandError("Something was written meanwhile: stop the gateways and whatever else writes, then back up again");
  }
  renameSync(part, file);
  print(`${file}: ${(statSync(file).size / 1024 ** 2).toFixed(1)} MiB, ${rows.workspaces.length} workspaces\n${notMoved}`);
  return exitCodes.ok;
}

/** Into a mesh that is migrated and in which no part ever ran. */
export async function restoreMesh(file: string, env: Env): Promise<number> {
  const streams = readSettings(env, readStreams);
  const copy = mkdtempSync(join(tmpdir(), "heddle-restore-"));
  try {
    // What is opened is brought to this build's tables; the file that was given stays as it is
    copyFileSync(file, join(copy, "heddle.db"));
    const database = openDatabase({ path: join(copy, "heddle.db") });
    const mesh = await meshSide(env);
    try {
      const folder = await folderSide(database);
      const through = await sqliteLogEnd(database);
      await refuseWaiting(folder);
      const rows = await accessRows(database);
      await withAccessPlace({ env }, { create: false }, async (access) => {
        const isUsed = access.rows().companies.length > 0 || await haveLogs(streams, parts);
        if (isUsed) throw new CommandError("There is a Heddle in this mesh already: name other keyspaces and another HEDDLE_LOG_NAME");
        await copyMoved(folder, mesh, { choice: chooseMoved(rows, undefined), through, progress: openProgress() });
        await beginLogsAbove(streams, through, parts);
        await transactAll(access, rows);
      });
      print(`${rows.workspaces.length} workspaces of ${file} are in the mesh\n${notMoved}`);
    } finally {
      await mesh.close();
      await database.close();
    }
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
  return exitCodes.ok;
}

const notMoved = "Not among it: past events, and which request set a field";

/** As cli/embedded.ts opens its log. */
const embeddedPartitions = 1;

async function refuseWaiting(side: MoveSide): Promise<void> {
  const waiting = await side.waiting();
  if (waiting.length > 0) {
    throw new CommandError(`${waiting.join(", ")}: see heddle log status; what waits cannot be moved, so redrive it or pass over it first`);
  }
}

/** Two looks at the same end, with everything applied in both and in the rows of names too. */
async function untilApplied(env: Env): Promise<Awaited<ReturnType<typeof lookAtLogs>>> {
  const streams = readSettings(env, readStreams);
  const endsAt = systemClock.monotonic() + limits.backupWaitMs;
  let last = await lookAtLogs(streams, parts);
  for (;;) {
    const now = await lookAtLogs(streams, parts);
    const isAtRest = now.mark === last.mark && now.behind.length + last.behind.length === 0;
    if (isAtRest && await areNamesWritten(env)) return now;
    if (systemClock.monotonic() > endsAt) {
      const what = now.behind.length > 0 ? `Not applied: ${now.behind.slice(0, 5).join(", ")}` : "Something is being written";
      throw new CommandError(`${what}. Let the parts run and stop the gateways, then back up again`);
    }
    last = now;
    await setTimeout(lookAgainMs);
  }
}

const lookAgainMs = 500;

/** The profile service alone knows: it writes the rows of a step after the step. */
async function areNamesWritten(env: Env): Promise<boolean> {
  const peer = readSettings(env, (reader) => readPeer(reader, "profile"));
  const { client, close } = connectClient(LogService, { ...peer, caller: "operator", deadlineMs: limits.drainMsMax, clock: systemClock });
  try {
    const { lags } = await client.getStatus({});
    return lags.every(({ records }) => records === 0n);
  } finally {
    close();
  }
}

function openProgress() {
  return openMoveProgress(process.stderr, () => systemClock.monotonic());
}

async function accessRows(database: Database): Promise<AccessRows> {
  const access = await openAccess({ database, clock: systemClock });
  access.close();
  return access.rows();
}

async function putAccess(database: Database, rows: AccessRows): Promise<void> {
  const access = await openAccess({ database, clock: systemClock });
  try {
    await transactAll(access, rows);
  } finally {
    access.close();
  }
}

async function transactAll(access: AccessAdmin, rows: AccessRows): Promise<void> {
  await access.transact(() => ({ writes: writesOf(rows), result: undefined }));
}
