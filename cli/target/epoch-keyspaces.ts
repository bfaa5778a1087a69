/** The keyspaces whose rows come from the log, each with what it knows of it. */
import { openCassandra } from "../../platform/cassandra/driver.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import { systemClock } from "../../platform/clock.ts";
import { type EpochWatermarks, openEpochWatermarks } from "../../platform/epoch/watermarks.ts";
import { type EpochService } from "../../platform/epoch/streams.ts";
import { readStore, readStreams } from "../../platform/mesh-config.ts";
import { readSettings } from "./settings.ts";

export interface EpochKeyspace {
  readonly service: EpochService;
  readonly keyspace: string;
  readonly session: Session;
  readonly watermarks: EpochWatermarks;
}

const services: readonly EpochService[] = ["profile", "subscription", "messaging-status"];

/** Of the mesh that the environment names. */
export async function openEpochKeyspaces(
  env: NodeJS.ProcessEnv,
): Promise<{ readonly all: readonly EpochKeyspace[]; close(): Promise<void> }> {
  const { logName, stores } = readSettings(env, (reader) => ({
    logName: readStreams(reader).logName,
    stores: services.map((service) => ({ service, ...readStore(reader, service) })),
  }));
  const all = stores.map(({ service, cassandra, keyspace }) => {
    const session = openCassandra({ ...cassandra, keyspace }, systemClock);
    return { service, keyspace, session, watermarks: openEpochWatermarks(session, logName) };
  });
  return {
    all,
    async close() {
      for (const { session } of all) await session.close();
    },
  };
}
