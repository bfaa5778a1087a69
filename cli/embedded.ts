/** Heddle in one process: every part on one SQLite file, joined by direct calls. */
import { join } from "node:path";

import type { Access } from "../gateway/access/access.ts";
import { type AccessAdmin, openAccess } from "../gateway/access/sqlite.ts";
import { openGateway } from "../gateway/wire.ts";
import { systemClock } from "../platform/clock.ts";
import { limits } from "../platform/limits.ts";
import { openMemoryLimiter } from "../platform/limiter/memory.ts";
import { openSqliteLog } from "../platform/log/sqlite.ts";
import type { Logger } from "../platform/logger.ts";
import { directClient } from "../platform/rpc/direct.ts";
import { openDatabase } from "../platform/sqlite/database.ts";
import { lockDirectory } from "../platform/sqlite/lock.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { openProfile } from "../services/profile/wire.ts";
import { databaseFile } from "./data-folder.ts";
import type { StartConfig } from "./start-config.ts";

export interface Embedded {
  readonly access: Access & AccessAdmin;
  listen(): Promise<{ url: string }>;
  /** Finishes what was taken, then closes all parts, the ones in front first. */
  close(): Promise<void>;
}

/** One workspace is one order; with one disk behind them, more partitions would only add work. */
const partitions = 1;

/**
 * Takes the data folder and opens all parts on it. `prepare` runs when it is known who may call, before anything can be
 * called. A part that fails to open closes those opened before it.
 */
export async function openEmbedded(
  config: StartConfig,
  logger: Logger,
  prepare: (access: Access & AccessAdmin) => Promise<void>,
): Promise<Embedded> {
  const opened: (() => Promise<void> | void)[] = [];
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  }
  try {
    const clock = systemClock;
    const lock = lockDirectory(config.dataDir);
    opened.push(() => void lock.release());
    const database = openDatabase({ path: join(config.dataDir, databaseFile), clock, logger });
    opened.push(() => database.close());
    const access = await openAccess({ database, clock });
    opened.push(() => access.close());
    await prepare(access);
    const log = await openSqliteLog({ database, partitions, clock });
    opened.push(() => log.close());
    const profile = await openProfile({ database, log, clock, logger, undoWindowMs: config.undoWindowMs });
    opened.push(() => profile.close());
    const gateway = openGateway({
      access,
      profile: directClient(ProfileService, profile.service),
      limiter: openMemoryLimiter({ clock, keysMax: limits.limiterKeysMax }),
      clock,
      logger,
      config: config.gateway,
      health: () => profile.health(),
    });
    opened.push(() => gateway.close());
    return { access, listen: () => gateway.listen(), close };
  } catch (error) {
    await close();
    throw error;
  }
}
