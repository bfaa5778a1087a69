/** heddle migrate: makes the keyspaces of the mesh and brings their tables to this build's version. */
import { systemClock } from "../platform/clock.ts";
import { migrateMeshProfile, readMeshStoreConfig } from "../services/profile/mesh-wire.ts";
import { exitCodes, print } from "./output.ts";
import { readSettings } from "./serve.ts";

export async function migrate({ env }: { readonly env: NodeJS.ProcessEnv }): Promise<number> {
  const config = readSettings(env, (reader) => ({
    store: readMeshStoreConfig(reader),
    replication: reader.whole("HEDDLE_CASSANDRA_REPLICATION", { min: 1, max: 9, fallback: 3 }),
  }));
  const versions = await migrateMeshProfile(config.store, { clock: systemClock, replication: config.replication });
  const { keyspace } = config.store;
  print(versions.length === 0 ? `${keyspace}: nothing to do` : `${keyspace}: applied version ${versions.join(", ")}`);
  return exitCodes.ok;
}
