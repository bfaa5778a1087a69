/** The profile service as a process of the mesh: JetStream, Cassandra, its readers and its RPCs put together. */
import { join } from "node:path";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Clock } from "../../platform/clock.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { newId } from "../../platform/identifier.ts";
import { connectJetStream } from "../../platform/log/jetstream-connection.ts";
import { openJetStreamSteps } from "../../platform/log/jetstream-fenced-step.ts";
import { checkpointSubject, partitionSubject } from "../../platform/log/jetstream-stream.ts";
import { openJetStreamLog } from "../../platform/log/jetstream.ts";
import type { Logger } from "../../platform/logger.ts";
import { rpcRoute } from "../../platform/rpc/guard.ts";
import { serveRpc } from "../../platform/rpc/server.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { createIntake } from "./intake/intake-log.ts";
import type { MeshProfileConfig } from "./mesh-config.ts";
import { startMeshReaders } from "./mesh-readers.ts";
import { openBusMembers, openBusNews } from "../../platform/lane/bus.ts";
import { openMeshApplied } from "./reader/mesh-applied.ts";
import { profileRoutes } from "./rpc/routes.ts";
import { openCassandraProfileStore } from "./store/cassandra.ts";

export { type MeshProfileConfig, readMeshProfileConfig, readMeshProfileStore } from "./mesh-config.ts";

export interface MeshProfile {
  /** Where its RPCs are served. */
  readonly url: string;
  /** Refuses new calls, finishes those under way, gives its work to the other processes. */
  close(): Promise<void>;
}

export interface MeshParts {
  readonly clock: Clock;
  readonly logger: Logger;
}

type Opened = (() => Promise<unknown> | unknown)[];

/** Refuses LOG_UNAVAILABLE and STORE_UNAVAILABLE where NATS or Cassandra cannot be reached; throws where the tables are not migrated. */
export async function serveMeshProfile(config: MeshProfileConfig, parts: MeshParts): Promise<MeshProfile> {
  const opened: Opened = [];
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  }
  try {
    return { url: await open(config, parts, opened), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(config: MeshProfileConfig, { clock, logger }: MeshParts, opened: Opened): Promise<string> {
  const { partitions } = config;
  const layout = laneLayout(partitions, config.lanes);
  const { storeWatch, ...store } = await openStore(config, clock, opened);
  const logs = await openLogs(config, { clock, logger, lanePartitions: layout.partitions }, opened);
  const { intake, lanes, news, members, bus } = logs;
  const applied = openMeshApplied({ lanes, layout, intakePartitions: partitions, news, clock, logger });
  opened.push(() => applied.close());
  const readers = startMeshReaders({
    id: newId("proc_", clock),
    ...logs,
    ...store,
    layout,
    news,
    members,
    clock,
    logger,
    undoWindowMs: config.undoWindowMs,
    subjects: {
      partition: (at) => partitionSubject(lanesName(config), at),
      checkpoint: (name) => checkpointSubject(lanesName(config), name),
    },
  });
  opened.push(() => readers.close());
  const service = profileRoutes({
    intake: createIntake(intake),
    applied,
    ...store,
    clock,
    newJobId: () => newId("job_", clock),
    emailStatuses: { load: () => Promise.resolve(new Map()) },
  });
  const server = await serveRpc({
    routes: [rpcRoute(ProfileService, service)],
    ...config.rpc,
    callers: new Map([[ProfileService.typeName, config.rpc.callers]]),
    clock,
    logger,
    health: () => ({ ready: bus.up && storeWatch.there && readers.trouble() === undefined && applied.trouble() === undefined }),
  });
  opened.push(() => server.close());
  return server.url;
}

async function openStore(config: MeshProfileConfig, clock: Clock, opened: Opened) {
  const { session, watch, close } = await openKeyspace(config, profileSchema, clock);
  opened.push(close);
  return { ...openCassandraProfileStore({ session, clock, partitions: config.partitions }), storeWatch: watch };
}

async function openLogs(config: MeshProfileConfig, parts: MeshParts & { lanePartitions: number }, opened: Opened) {
  const { clock, logger, lanePartitions } = parts;
  const stream = { ...config.nats, replicas: config.replicas, bytesMax: config.bytesMax, clock, logger };
  const intake = await openJetStreamLog({ ...stream, name: `${config.logName}_intake`, partitions: config.partitions });
  opened.push(() => intake.close());
  const lanes = await openJetStreamLog({ ...stream, name: lanesName(config), partitions: lanePartitions });
  opened.push(() => lanes.close());
  const steps = await openJetStreamSteps({ ...stream, name: lanesName(config), partitions: lanePartitions });
  opened.push(() => steps.close());
  const bus = await connectJetStream({ ...config.nats, logger });
  opened.push(() => bus.close());
  const members = openBusMembers({ bus, subject: `${config.logName}-members`, clock });
  const events = await openEventStream({ ...config.events, logger });
  opened.push(() => events.close());
  return { intake, lanes, steps, bus, members, events, news: openBusNews(bus, `${config.logName}-progress`) };
}

function lanesName({ logName }: MeshProfileConfig): string {
  return `${logName}_lanes`;
}

/** Where the migrations of the service's tables lie. */
export const profileSchema: string = join(import.meta.dirname, "store/schema");
