/** heddle migrate: makes the keyspaces of the mesh and brings their tables to this build's version. */
import { setTimeout } from "node:timers/promises";

import { migrateKeyspace } from "../platform/cassandra/keyspace.ts";
import { systemClock } from "../platform/clock.ts";
import { Refusal } from "../platform/refusal.ts";
import { meshKeyspaces } from "./mesh-parts.ts";
import { exitCodes, type JsonOption, print, printError, printJson } from "./output.ts";
import { readSettings } from "./settings.ts";

export interface MigrateOptions extends JsonOption {
  readonly env: NodeJS.ProcessEnv;
  /** How many seconds to try again while Cassandra is not there, or another migration runs. */
  readonly wait?: number;
  /** No process of a build before is left: what only this build knows may be used in keyspaces that were made before. */
  readonly seal?: boolean;
}

/** All settings are read before anything is made. */
export async function migrate({ env, wait = 0, seal = false, json = false }: MigrateOptions): Promise<number> {
  const keyspaces = await Promise.all(meshKeyspaces.map((load) => load()));
  const config = readSettings(env, (reader) => ({
    stores: keyspaces.map(({ read, schemaFolder }) => ({ store: read(reader), schemaFolder })),
    replication: reader.whole("HEDDLE_CASSANDRA_REPLICATION", { min: 1, max: 9, fallback: 3 }),
  }));
  const endsAt = systemClock.monotonic() + wait * 1_000;
  const applied: { readonly keyspace: string; readonly versions: readonly number[] }[] = [];
  for (const { store, schemaFolder } of config.stores) {
    const versions = await patiently(
      () => migrateKeyspace(store, schemaFolder, { clock: systemClock, replication: config.replication, seal }),
      endsAt,
    );
    applied.push({ keyspace: store.keyspace, versions });
    if (!json) {
      print(versions.length === 0 ? `${store.keyspace}: nothing to do` : `${store.keyspace}: applied version ${versions.join(", ")}`);
    }
  }
  if (json) printJson(applied);
  return exitCodes.ok;
}

/** Tries again until `endsAt` what another attempt may mend. */
async function patiently<Result>(run: () => Promise<Result>, endsAt: number): Promise<Result> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const passes = error instanceof Refusal && passing.has(error.reason);
      if (!passes || systemClock.monotonic() >= endsAt) throw error;
      printError(`Waiting: ${error.message}`);
      await setTimeout(retryMs);
    }
  }
}

/** An outcome that is unknown may be asked for again: migrations can be repeated at any statement. */
const passing: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "STATE_CONFLICT"]);
const retryMs = 1_000;
