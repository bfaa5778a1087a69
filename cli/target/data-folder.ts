/** The data folder as commands use it beside a running server: who may call, kept in its database. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import type { Access, Workspace } from "../../gateway/access/access.ts";
import { type AccessAdmin, openAccess } from "../../gateway/access/store/sqlite.ts";
import type { AccessRows } from "../../gateway/access/rows.ts";
import { systemClock } from "../../platform/clock.ts";
import { type Database, openDatabase } from "../../platform/sqlite/database.ts";
import { isLocked, makeFolder } from "../../platform/sqlite/lock.ts";
import { CommandError, UsageError } from "../shell/output.ts";
import { defaultDataDir } from "./start-config.ts";

export const databaseFile = "heddle.db";
/** Of the intake. One workspace is one order; with one disk behind them, more partitions would only add work. */
export const partitions = 1;

export interface TargetOptions {
  /** Names a data folder, whatever the environment says. */
  readonly dataDir?: string | undefined;
  readonly env?: NodeJS.ProcessEnv;
}

/** The folder that the option, the environment or the default names. */
export function dataFolder(option: string | undefined, env: NodeJS.ProcessEnv = process.env): string {
  return option ?? (env["HEDDLE_DATA_DIR"] || defaultDataDir);
}

/** Whether the mesh is meant: no folder is named, and the environment has what its parts have, or `variable`, which a command can do with alone. */
export function isMesh({ dataDir, env = process.env }: TargetOptions, variable?: string): boolean {
  return dataDir === undefined && Boolean(env["HEDDLE_CASSANDRA_CONTACT_POINTS"] || (variable && env[variable]));
}

/**
 * Opens the access tables of the folder, runs `work`, and closes them. A server may run on the folder: it learns of
 * changes within a second.
 */
export async function withAccess<T>(
  folder: string,
  work: (access: Access & AccessAdmin, database: Database) => Promise<T> | T,
  { create = false }: { readonly create?: boolean } = {},
): Promise<T> {
  const path = join(folder, databaseFile);
  if (create) makeFolder(resolve(folder));
  else if (!existsSync(path)) {
    throw new CommandError(`There is no Heddle in the folder "${folder}": start one, or name its folder with --data-dir`);
  }
  const database = openDatabase({ path, beside: true, isServed: () => isServed(folder) });
  try {
    const access = await openAccess({ database, clock: systemClock });
    try {
      return await work(access, database);
    } finally {
      access.close();
    }
  } finally {
    await database.close();
  }
}

/** Whether a server holds the folder. */
export function isServed(folder: string): boolean {
  return existsSync(join(folder, databaseFile)) && isLocked(folder);
}

/** The workspace that a person means by id, name or `company/name`; without a name the only one there is. */
export function chooseWorkspace(rows: AccessRows, wanted: string | undefined): Workspace {
  const paths = rows.workspaces.map((workspace) => ({ workspace, path: workspacePath(rows, workspace) }));
  const listed = paths.map((entry) => entry.path).join(", ");
  if (wanted === undefined) {
    const [only, ...more] = paths;
    if (!only) throw new CommandError("There is no workspace yet: declare one with heddle apply");
    if (more.length > 0) throw new UsageError(`There are several workspaces, name one with --workspace: ${listed}`);
    return only.workspace;
  }
  const meant = paths.filter(({ workspace, path }) => [workspace.id, workspace.name, path].includes(wanted));
  const [first, ...others] = meant;
  if (!first) throw new CommandError(`No workspace is called "${wanted}"${listed ? `; there are ${listed}` : ""}`);
  if (others.length > 0) {
    throw new UsageError(`Several workspaces are called "${wanted}", name one of ${meant.map((entry) => entry.path).join(", ")}`);
  }
  return first.workspace;
}

/** `company/workspace`, as people name it. */
export function workspacePath(rows: AccessRows, workspace: Workspace): string {
  const company = rows.companies.find((row) => row.id === workspace.companyId);
  return `${company?.name ?? workspace.companyId}/${workspace.name}`;
}
