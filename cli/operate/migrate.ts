/** heddle migrate: makes the keyspaces of the mesh and brings their tables to this build's version. */
import { setTimeout } from "node:timers/promises";

import { migrateKeyspace } from "../../platform/cassandra/keyspace.ts";
import { systemClock } from "../../platform/clock.ts";
import { readStore } from "../../platform/mesh-config.ts";
import { Refusal } from "../../platform/refusal.ts";
import { meshKeyspaces } from "../target/mesh-parts.ts";
import { exitCodes, type JsonOption, print, printError, printJson } from "../shell/output.ts";
import { readSettings } from "../target/settings.ts";

export interface MigrateOptions extends JsonOption {
  readonly env: NodeJS.ProcessEnv;
  /** How many seconds to try again while Cassandra is not there, or another migration runs. */
  readonly wait?: number;
  /** No process of a build before is left: what only this build knows may be used in keyspaces that were made before. */
  readonly seal?: boolean;
  /** List the names of users of builds before, so that they are found by how a name begins. */
  readonly names?: boolean;
}

/** All settings are read before anything is made. */
export async function migrate({ env, wait = 0, seal = false, names = false, json = false }: MigrateOptions): Promise<number> {
  const keyspaces = await Promise.all(meshKeyspaces.map((load) => load()));
  const config = readSettings(env, (reader) => ({
    stores: keyspaces.map(({ part, ...keyspace }) => ({ ...keyspace, store: readStore(reader, part) })),
    replication: reader.whole("HEDDLE_CASSANDRA_REPLICATION", { min: 1, max: 9, fallback: 3 }),
  }));
  const endsAt = systemClock.monotonic() + wait * 1_000;
  const applied: { readonly keyspace: string; readonly versions: readonly number[]; readonly names?: number }[] = [];
  for (const { store, schemaFolder, listNames } of config.stores) {
    const versions = await patiently(
      () => migrateKeyspace(store, schemaFolder, { clock: systemClock, replication: config.replication, seal }),
      endsAt,
    );
    const listed = names ? await listNames?.(store, systemClock) : undefined;
    applied.push({ keyspace: store.keyspace, versions, ...(listed !== undefined && { names: listed }) });
    if (!json) {
      print(versions.length === 0 ? `${store.keyspace}: nothing to do` : `${store.keyspace}: applied version ${versions.join(", ")}`);
      if (listed !== undefined) print(`${store.keyspace}: ${listed} names are listed`);
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
      if (!passes || systemClock.monotonic() >= endsAt) throw explained(error);
      printError(`Waiting: ${error.message}`);
      await setTimeout(retryMs);
    }
  }
}

/** What a refusal says of a key is for requests; here the command itself is safe to repeat. */
function explained(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.reason !== "OUTCOME_UNKNOWN") return error;
  const again = "run the same command again, with --wait 300 on a busy machine: what was done is not done twice";
  return new Refusal(error.reason, `Cassandra did not say in time whether a table was made: ${again}`);
}

/** An outcome that is unknown may be asked for again: migrations can be repeated at any statement. */
const passing: ReadonlySet<string> = new Set(["STORE_UNAVAILABLE", "OUTCOME_UNKNOWN", "STATE_CONFLICT"]);
const retryMs = 1_000;
