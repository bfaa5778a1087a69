/** Where commands find who may call: in the mesh whose settings the environment holds, or in a data folder. */
import type { Access } from "../../gateway/access/access.ts";
import type { AccessAdmin } from "../../gateway/access/admin/admin.ts";
import { systemClock } from "../../platform/clock.ts";
import { silentLogger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { dataFolder, isMesh, type TargetOptions, withAccess } from "./data-folder.ts";
import type { JsonOption } from "../shell/output.ts";
import { readSettings } from "./settings.ts";

/** Of most commands. */
export interface FolderOptions extends JsonOption {
  readonly dataDir?: string;
}

/** Of commands about one workspace. */
export interface WorkspaceOptions extends FolderOptions {
  /** Id, name or company/name. */
  readonly workspace?: string;
}

/**
 * Opens what says who may call, runs `work`, and closes it. In the mesh with the settings that its parts have; `database` is there for a data folder only. Servers may run:
 * they learn of changes within a second.
 */
export async function withAccessTarget<T>(
  { dataDir, env = process.env, create = false }: TargetOptions & { readonly create?: boolean },
  work: (access: Access & AccessAdmin, database: Database | undefined) => Promise<T> | T,
): Promise<T> {
  if (!isMesh({ dataDir, env })) return await withAccess(dataFolder(dataDir, env), work, { create });
  // The drivers of the mesh take memory that a server in one process does not have to spend
  const { openMeshAccess, readMeshAccess } = await import("../../gateway/mesh-access.ts");
  const config = readSettings(env, readMeshAccess);
  const { access, close } = await openMeshAccess(config, { clock: systemClock, logger: silentLogger });
  try {
    return await work(access, undefined);
  } finally {
    await close();
  }
}
