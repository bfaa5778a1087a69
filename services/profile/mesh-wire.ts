/** The profile service as a process of the mesh: JetStream, Cassandra, its readers and its RPCs put together. */
import { join } from "node:path";
import { type Keyspace, openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Session } from "../../platform/cassandra/session.ts";
import type { Clock } from "../../platform/clock.ts";
import { openEpochGuard } from "../../platform/epoch/guard.ts";
import { type GuardedLogsOptions, openGuardedLogs } from "../../platform/epoch/guarded.ts";
import { type EpochPartEnds, serveInEpoch } from "../../platform/epoch/serve-in-epoch.ts";
import { streamNamesOf } from "../../platform/epoch/streams.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { newId } from "../../platform/identifier.ts";
import { connectJetStream } from "../../platform/log/jetstream-connection.ts";
import { checkpointSubject, partitionSubject } from "../../platform/log/jetstream-stream.ts";
import { partitionOf } from "../../platform/log/partition.ts";
import { RecentRecords } from "../../platform/log/recent-records.ts";
import { limits } from "../../platform/limits.ts";
import type { StoreConfig } from "../../platform/mesh-config.ts";
import { openAll, type Opened } from "../../platform/open-all.ts";
import { type ClientOptions, connectClient } from "../../platform/rpc/client.ts";
import { rpcRoute } from "../../platform/rpc/guard.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { serveRpc } from "../../platform/rpc/server.ts";
import { measuredStore } from "../../platform/telemetry/measured-calls.ts";
import { measuredLog } from "../../platform/telemetry/measured-log.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import type { Telemetry } from "../../platform/telemetry/telemetry.ts";
import { watchWork } from "../../platform/telemetry/work-metrics.ts";
import { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { laneTrimBytes } from "../../platform/lane/lane-checkpoint.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { emailStatusesBy } from "./clients/email-statuses.ts";
import { type EmailStatuses, noStatuses } from "./domain/read/email-statuses.ts";
import type { IdentityStore } from "./domain/ports.ts";
import { openReadAhead } from "./domain/read/read-ahead.ts";
import { bucketOfUser, type Numbering, numberingOfUser } from "../../platform/user-number.ts";
import { lastChangedOf } from "./events/last-changed.ts";
import { createIntake } from "./intake/intake-log.ts";
import { bucketMembers, laneMember } from "./lanes/bucket-members.ts";
import { logOperator, logService } from "./lanes/log-operator.ts";
import type { MeshProfileConfig } from "./mesh-config.ts";
import { type MeshReaderOptions, startMeshReaders } from "./mesh-readers.ts";
import { meshWork, openProfileBacklog, type ProfileBacklog } from "./mesh-work.ts";
import { openBusMembers, openBusNotices } from "../../platform/lane/bus.ts";
import { openMeshApplied } from "./reader/mesh-applied.ts";
import { lookForRejected } from "./reader/rejected-users.ts";
import { type MemoryOptions, readThroughMemory } from "./reader/rows-in-memory.ts";
import { profileRoutes } from "./rpc/routes.ts";
import { fillNames } from "./store/fill-names.ts";
import { cassandraProfileMove } from "./store/moved-cassandra.ts";
import { type CassandraProfileStore, openCassandraProfileStore } from "./store/cassandra.ts";

export { type MeshProfileConfig, readMeshProfileConfig } from "./mesh-config.ts";

/** For `heddle migrate --names`; how many names there are. */
export async function listNames(config: StoreConfig, clock: Clock): Promise<number> {
  const { session, close } = await openKeyspace(config, profileSchema, clock);
  try {
    return await fillNames(session);
  } finally {
    await close();
  }
}

/**
 * Refuses LOG_UNAVAILABLE and STORE_UNAVAILABLE where NATS or Cassandra cannot be reached; throws where the tables are not migrated.
 * Where log and rows do not fit it listens and refuses every call.
 */
export async function serveMeshProfile(config: MeshProfileConfig, deps: PartEnds): Promise<ServedPart> {
  return await serveInEpoch({
    services: [ProfileService, LogService],
    callers: callersOf(config),
    rpc: config.rpc,
    ...deps,
    open: ({ rpc, ...ends }) => openAll((opened) => open({ ...config, rpc }, { ...deps, ...ends }, opened)),
  });
}

function callersOf({ rpc, operators }: MeshProfileConfig): Map<string, readonly string[]> {
  return new Map([
    [ProfileService.typeName, rpc.callers],
    // The gateway asks for keys that may console.operate
    [LogService.typeName, [...operators, "gateway"]],
  ]);
}

type OpenDeps = PartEnds & Pick<EpochPartEnds<MeshProfileConfig["rpc"]>, "onMismatch" | "beforeListen">;

async function open(
  config: MeshProfileConfig,
  { clock, logger, telemetry, tenants, onMismatch, beforeListen }: OpenDeps,
  opened: Opened,
): Promise<Omit<ServedPart, "close">> {
  const layout = laneLayout(config.partitions, config.lanes);
  const { session, watch, sealedBy } = await openStore(config, clock, opened);
  const guard = await openEpochGuard({ service: "profile", ...config, session, streams: config, clock, logger, onMismatch });
  opened.push(() => guard.close());
  const measured = measuredTables(tablesIn(guard.session, config, clock), telemetry);
  const { backlog, store } = openProfileBacklog(measured, clock);
  opened.push(() => backlog.close());
  const logs = await openLogs(config, { clock, logger, guard }, opened);
  const { intake, lanes, notices, members, bus, events } = logs;
  const applied = openMeshApplied({ lanes, layout, intakePartitions: config.partitions, notices, clock, logger });
  opened.push(() => applied.close());
  const readers = startMeshReaders({
    id: newId(laneMember, clock),
    ...logs,
    ...store,
    layout,
    notices,
    members,
    clock,
    logger,
    tracer: telemetry.tracer,
    undoWindowMs: config.undoWindowMs,
    numbering: () => numberingFor(sealedBy, members.knowNumbering()),
    watermarks: guard.watermarks,
    trimBytes: laneTrimBytes({ bytesMax: config.bytesMax, partitions: layout.partitions }),
    subjects: subjectsOf(config),
  });
  opened.push(() => readers.close(), guard.onBack(readers.retry));
  const work = meshWork({ intake, applied, backlog }, clock);
  opened.push(work.close, watchWork(telemetry.metrics, "profile", work));
  const rejected = await lookForRejected({ ...store, clock, logger });
  opened.push(() => rejected.close());
  const service = profileRoutes({
    work,
    rejected,
    intake: createIntake(measuredLog(intake, "intake", telemetry.metrics)),
    tracer: telemetry.tracer,
    applied,
    ...store,
    ...reads({ ...config, ...store, ...readers, applied }),
    clock,
    newJobId: () => newId("job_", clock),
    lastChanged: lastChangedOf(events),
    emailStatuses: openEmailStatuses(config, { clock, logger, tracer: telemetry.tracer }, opened),
  });
  const health = healthOf({ bus, storeWatch: watch(), readers, applied, backlog });
  await beforeListen();
  const routes = [
    rpcRoute(ProfileService, service),
    rpcRoute(LogService, logService(logOperator({ ...store, intake, lanes, layout, lags: work.lags }))),
  ];
  const server = await serveRpc({ ...config.rpc, routes, callers: callersOf(config), clock, logger, telemetry, health, tenants });
  opened.push(() => server.close());
  return { url: server.url, health };
}

/** What spares reads a question to the log or to the store. */
function reads<Store extends IdentityStore>(
  { partitions, ...deps }: Omit<MemoryOptions<Store>, "partitionOf"> & Pick<MeshProfileConfig, "partitions">,
) {
  function inPartition(workspaceId: string): number {
    return partitionOf(workspaceId, partitions);
  }
  const { applied } = deps;
  return {
    readAhead: openReadAhead({ applied, partitionOf: inPartition }),
    identities: readThroughMemory({ ...deps, partitionOf: inPartition }),
  };
}

function subjectsOf({ logName }: MeshProfileConfig): MeshReaderOptions["subjects"] {
  const { lanes } = streamNamesOf(logName);
  return {
    partition: (at) => partitionSubject(lanes, at),
    checkpoint: (name) => checkpointSubject(lanes, name),
  };
}

/** What each call of the tables takes, for the metrics. */
function measuredTables({ identities, profiles }: CassandraProfileStore, { metrics }: Telemetry): CassandraProfileStore {
  return {
    identities: measuredStore(identities, { store: "identities", operations: ["load", "save"] }, metrics),
    profiles: measuredStore(profiles, { store: "profiles", operations: ["load", "loadUsers", "save"] }, metrics),
  };
}

/** Names what keeps accepted data from being applied or read; where that is about some users or records alone, all others are served. */
function healthOf(deps: {
  readonly bus: { readonly up: boolean };
  readonly storeWatch: { readonly there: boolean };
  readonly readers: { trouble(): string | undefined };
  readonly applied: { trouble(): string | undefined };
  readonly backlog: Pick<ProfileBacklog, "reason">;
}): () => Readiness {
  const { bus, storeWatch, readers, applied, backlog } = deps;
  return () => {
    if (!bus.up) return { ready: false, reason: "NATS is away" };
    if (!storeWatch.there) return { ready: false, reason: "Cassandra is away" };
    const trouble = readers.trouble() ?? applied.trouble();
    const reason = trouble ?? backlog.reason();
    return { ready: trouble === undefined, ...(reason !== undefined && { reason }) };
  };
}

async function openStore(config: MeshProfileConfig, clock: Clock, opened: Opened): Promise<Keyspace> {
  const keyspace = await openKeyspace(config, profileSchema, clock);
  opened.push(() => keyspace.close());
  return keyspace;
}

function tablesIn(session: Session, { partitions }: Pick<MeshProfileConfig, "partitions">, clock: Clock): CassandraProfileStore {
  return openCassandraProfileStore({ session, clock, partitions, bucketOf: bucketOfUser });
}

async function openLogs(config: MeshProfileConfig, deps: Omit<GuardedLogsOptions, "streams">, opened: Opened) {
  const { clock, logger } = deps;
  const logs = await openGuardedLogs({ ...deps, streams: config, recent: new RecentRecords(clock) }, opened);
  const bus = await connectJetStream({ ...config.nats, logger });
  opened.push(() => bus.close());
  const members = bucketMembers(openBusMembers({ bus, subject: `${config.logName}-members`, clock }));
  const events = await openEventStream({ ...config.events, logger });
  opened.push(() => events.close());
  return { ...logs, bus, members, events, notices: openBusNotices(bus, `${config.logName}-progress`, clock) };
}

/** Without the messaging-status service no status is known. */
function openEmailStatuses(
  { messagingStatus }: MeshProfileConfig,
  deps: Pick<ClientOptions, "clock" | "logger" | "tracer">,
  opened: Opened,
): EmailStatuses {
  if (messagingStatus === undefined) return { load: () => Promise.resolve(noStatuses) };
  const called = connectClient(MessagingStatusService, { ...messagingStatus, caller: "profile", deadlineMs: limits.drainMsMax, ...deps });
  opened.push(() => called.close());
  return emailStatusesBy(called.client);
}

/** The versions of the tables from which on users are numbered so. */
const versionOf: Readonly<Record<Numbering, number>> = { buckets: 7, lanes: 9 };

/** Undefined: users get no numbers yet. */
function numberingFor(sealedBy: number, known: Numbering | undefined): Numbering | undefined {
  if (known === "lanes" && sealedBy >= versionOf.lanes) return "lanes";
  return known !== undefined && sealedBy >= versionOf.buckets ? "buckets" : undefined;
}

/** Where the migrations of the service's tables lie. */
export const profileSchema: string = join(import.meta.dirname, "store/schema");

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. `partitions`: those of the intake log. */
export async function openMeshProfileMove(config: StoreConfig & { readonly partitions: number }, clock: Clock) {
  const { session, sealedBy, close } = await openKeyspace(config, profileSchema, clock);
  function isRefused(workspaceId: string, id: string): boolean {
    const numbering = numberingOfUser(workspaceId, id);
    return numbering !== undefined && sealedBy < versionOf[numbering];
  }
  return { ...cassandraProfileMove(session, tablesIn(session, config, clock), isRefused), close };
}
