/** Begins a new epoch as it was planned. It can be done again at any point: until the rows know it, nothing is served. */
import type { JetStreamConnection } from "../log/jetstream-connection.ts";
import { openJetStreamSteps } from "../log/jetstream-fenced-step.ts";
import { deleteStream, nameStream } from "../log/jetstream-stream.ts";
import { laneLayout } from "../lane/layout.ts";
import type { Logger } from "../logger.ts";
import type { EventsConfig, StreamsConfig } from "../mesh-config.ts";
import { streamKinds } from "../log/epoch.ts";
import type { EpochWatermarks } from "./watermarks.ts";
import type { Adoption } from "./plan-adoption.ts";
import { writeResolvedPlaces } from "./resolved-places.ts";
import { makeStreams, streamNamesOf } from "./streams.ts";

export interface AdoptDeps {
  readonly connection: JetStreamConnection;
  readonly streams: StreamsConfig;
  readonly events: EventsConfig;
  /** Of every keyspace whose rows come from the log. */
  readonly watermarks: readonly EpochWatermarks[];
  readonly now: number;
  readonly logger: Logger;
}

export async function adopt(deps: AdoptDeps, { epoch, kept, resolved }: Adoption): Promise<void> {
  const { connection, streams, watermarks } = deps;
  const names = streamNamesOf(streams.logName);
  for (const kind of streamKinds) {
    if (!kept.includes(kind)) await deleteStream(connection, names[kind]);
  }
  for (const kind of kept) await nameStream(connection, names[kind], epoch);
  await makeStreams(deps, epoch);
  await resolveFrom(deps, resolved);
  for (const each of watermarks) {
    if (await each.begin(epoch, await each.epoch())) continue;
    throw new Error("Somebody else began an epoch meanwhile: look with heddle doctor, and run this again where it is needed");
  }
}

async function resolveFrom({ streams, now, logger }: AdoptDeps, resolved: ReadonlyMap<number, number>): Promise<void> {
  if (resolved.size === 0) return;
  const { nats, logName, replicas, bytesMax, partitions, lanes } = streams;
  const { lanes: name } = streamNamesOf(logName);
  const stream = { ...nats, replicas, bytesMax, logger, name, partitions: laneLayout(partitions, lanes).partitions, make: false };
  const steps = await openJetStreamSteps(stream);
  try {
    await writeResolvedPlaces(steps, { name, resolved, now });
  } finally {
    await steps.close();
  }
}
