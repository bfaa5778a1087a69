/** heddle migrate: makes the keyspaces of the mesh and brings their tables to this build's version. */
import { migrateKeyspace } from "../platform/cassandra/keyspace.ts";
import { systemClock } from "../platform/clock.ts";
import { meshKeyspaces } from "./mesh-parts.ts";
import { exitCodes, print } from "./output.ts";
import { readSettings } from "./serve.ts";

/** All settings are read before anything is made. */
export async function migrate({ env }: { readonly env: NodeJS.ProcessEnv }): Promise<number> {
  const keyspaces = await Promise.all(meshKeyspaces.map((load) => load()));
  const config = readSettings(env, (reader) => ({
    stores: keyspaces.map(({ read, schemaFolder }) => ({ store: read(reader), schemaFolder })),
    replication: reader.whole("HEDDLE_CASSANDRA_REPLICATION", { min: 1, max: 9, fallback: 3 }),
  }));
  for (const { store, schemaFolder } of config.stores) {
    const versions = await migrateKeyspace(store, schemaFolder, { clock: systemClock, replication: config.replication });
    print(versions.length === 0 ? `${store.keyspace}: nothing to do` : `${store.keyspace}: applied version ${versions.join(", ")}`);
  }
  return exitCodes.ok;
}
