/** A part's own keyspace: made and brought up to date by `heddle migrate`, opened and watched by the part. */
import cassandra from "cassandra-driver";
import type { Clock } from "../clock.ts";
import { newId } from "../identifier.ts";
import { limits } from "../limits.ts";
import type { StoreConfig } from "../mesh-config.ts";
import { Refusal } from "../refusal.ts";
import { openCassandra } from "./driver.ts";
import { createKeyspace, currentVersion, migrate, readMigrations, sealedBy } from "./migrate.ts";
import type { WatchedSession } from "./session.ts";
import { type StoreWatch, watchStore } from "./store-watch.ts";

export interface Keyspace {
  readonly session: WatchedSession;
  /** Asks from now on, until the keyspace is closed, whether the store answers. */
  watch(): StoreWatch;
  /** The last version which builds that do not know it refuse (see Migration.seals): what came up to there may be used. */
  readonly sealedBy: number;
  close(): Promise<void>;
}

/**
 * Opens the keyspace, whose tables must have the version of the migrations in `schemaFolder` or a newer one. Refuses
 * STORE_UNAVAILABLE where Cassandra cannot be reached, and where the tables wait for `heddle migrate`.
 */
export async function openKeyspace({ cassandra, keyspace }: StoreConfig, schemaFolder: string, clock: Clock): Promise<Keyspace> {
  const session = openCassandra({ ...cassandra, keyspace }, clock);
  const migrations = readMigrations(schemaFolder);
  let sealed: number;
  try {
    const version = await currentVersion(session, migrations).catch((error: unknown) => isUnmade(error) ? 0 : Promise.reject(error));
    if (version < migrations.length) {
      const found = `The tables of ${keyspace} have version ${version}, this build needs ${migrations.length}`;
      throw new Refusal("STORE_UNAVAILABLE", `${found}: run heddle migrate`, { retryAfterSeconds: 1 });
    }
    sealed = await sealedBy(session, migrations);
  } catch (error) {
    await session.close();
    throw error;
  }
  let watching: StoreWatch | undefined;
  return {
    session,
    watch: () => watching ??= watchStore(clock, () => currentVersion(session, migrations)),
    sealedBy: sealed,
    async close() {
      watching?.close();
      await session.close();
    },
  };
}

/** The keyspace was never migrated: there is none, or no table in it. */
export function isUnmade(error: unknown): boolean {
  return error instanceof cassandra.errors.ResponseError && error.code === cassandra.types.responseErrorCodes.invalid;
}

/**
 * Makes the keyspace where it is missing, with `replication` copies of each row, and brings its tables to this build's
 * version; gives the versions it applied.
 */
export async function migrateKeyspace(
  { cassandra, keyspace }: StoreConfig,
  schemaFolder: string,
  { clock, replication, seal = false }: { readonly clock: Clock; readonly replication: number; readonly seal?: boolean },
): Promise<readonly number[]> {
  const config = { ...cassandra, deadlineMs: limits.cassandraSchemaMsMax };
  const outside = openCassandra(config, clock);
  try {
    await createKeyspace(outside, keyspace, { class: "NetworkTopologyStrategy", [cassandra.datacenter]: replication });
  } finally {
    await outside.close();
  }
  const session = openCassandra({ ...config, keyspace }, clock);
  try {
    return await migrate({ session, migrations: readMigrations(schemaFolder), owner: newId("migrate_", clock), seal });
  } finally {
    await session.close();
  }
}
