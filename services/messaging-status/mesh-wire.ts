/** The messaging-status service as a process of the mesh: its lanes, Cassandra, events and its RPCs put together. */
import { join } from "node:path";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Clock } from "../../platform/clock.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { positionFromToken } from "../../platform/intake/position.ts";
import { type MeshLanes, openMeshLanes } from "../../platform/lane/mesh-lanes.ts";
import { redriveReadable } from "../../platform/lane/redrive-readable.ts";
import { limits } from "../../platform/limits.ts";
import type { StoreConfig } from "../../platform/mesh-config.ts";
import type { Logger } from "../../platform/logger.ts";
import { connectClient } from "../../platform/rpc/client.ts";
import { rpcRoute } from "../../platform/rpc/guard.ts";
import { serveRpc } from "../../platform/rpc/server.ts";
import type { Readiness } from "../../platform/telemetry/metrics-server.ts";
import { noTelemetry, type Telemetry } from "../../platform/telemetry/telemetry.ts";
import { watchWork } from "../../platform/telemetry/work-metrics.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { Caught } from "./domain/ports.ts";
import { eventsOf } from "./events/status-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { decodeLaneBody, isLaneRecord } from "./lanes/lane-message.ts";
import { openUnsubscribeLinks } from "./links/unsubscribe-links.ts";
import type { MeshMessagingStatusConfig } from "./mesh-config.ts";
import { messagingStatusRoutes } from "./rpc/routes.ts";
import { cassandraStatusMove } from "./store/moved-cassandra.ts";
import { openCassandraStatusStore } from "./store/cassandra.ts";

export { type MeshMessagingStatusConfig, readMeshMessagingStatusConfig, readMeshMessagingStatusStore } from "./mesh-config.ts";

export interface MeshMessagingStatus {
  /** Where its RPCs are served. */
  readonly url: string;
  /** Whether accepted data can be applied and read; names what fails. */
  health(): Readiness;
  /** Refuses new calls, finishes those under way, gives its work to the other processes. */
  close(): Promise<void>;
}

export interface MeshParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly telemetry?: Telemetry;
}

type Opened = (() => Promise<unknown> | unknown)[];

/** Refuses LOG_UNAVAILABLE and STORE_UNAVAILABLE where NATS or Cassandra cannot be reached; throws where the tables are not migrated. */
export async function serveMeshMessagingStatus(config: MeshMessagingStatusConfig, parts: MeshParts): Promise<MeshMessagingStatus> {
  const opened: Opened = [];
  async function close(): Promise<void> {
    for (const closeOne of opened.splice(0).reverse()) await closeOne();
  }
  try {
    return { ...await open(config, parts, opened), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(
  config: MeshMessagingStatusConfig,
  { clock, logger, telemetry = noTelemetry }: MeshParts,
  opened: Opened,
): Promise<Omit<MeshMessagingStatus, "close">> {
  const { session, watch, close: closeStore } = await openKeyspace(config, messagingStatusSchema, clock);
  opened.push(closeStore);
  const tables = openCassandraStatusStore(session);
  const events = await openEventStream({ ...config.events, logger });
  opened.push(() => events.close());
  const lanes = await openMeshLanes({ service: "messaging-status", streams: config, clock, logger });
  opened.push(() => lanes.close());
  const calls = { deadlineMs: limits.drainMsMax, clock, logger };
  const profile = connectClient(ProfileService, { ...config.profile, caller: "messaging-status", ...calls });
  opened.push(() => profile.close());
  const { client } = profile;
  lanes.start((bodies, lane) =>
    applyMessages({
      ...tables,
      publish: (workspaceId, entries) => events.publish(eventsOf(workspaceId, entries)),
      logger,
      traced: { tracer: telemetry.tracer, lane },
    }, bodies)
  );
  const work = {
    lags: async () => [await lanes.lag()],
    backlog: async () => ({ setAside: (await tables.listSetAside(limits.setAsidePageMax)).length }),
  };
  opened.push(watchWork(telemetry.metrics, "messaging-status", work));
  const service = messagingStatusRoutes({
    store: tables.store,
    caught: caughtBy(lanes),
    profile: client,
    intake: {
      log: lanes.intake,
      clock,
      tracer: telemetry.tracer,
      decided: (scope, position) => client.awaitOutcome({ scope, position }),
    },
    links: openUnsubscribeLinks(tables.linkKeys),
    ledger: tables,
    setAside: setAsideBy(tables, lanes),
  });
  function health(): Readiness {
    const reason = (watch.there ? undefined : "Cassandra is away") ?? lanes.trouble();
    return { ready: reason === undefined, ...(reason !== undefined && { reason }) };
  }
  const server = await serveRpc({
    routes: [rpcRoute(MessagingStatusService, service)],
    ...config.rpc,
    callers: new Map([[MessagingStatusService.typeName, config.rpc.callers]]),
    clock,
    logger,
    telemetry,
    health,
  });
  opened.push(() => server.close());
  return { url: server.url, health };
}

/** Waits for the lanes of the addresses that a read is about. */
function caughtBy({ caughtUp, layout }: MeshLanes): Caught {
  const all = Array.from({ length: layout.lanes }, (_, lane) => lane);
  return {
    ask({ workspaceId, readAfter }, addresses) {
      const own = addresses === "all" ? all : [...new Set(addresses.map((address) => layout.laneOf(workspaceId, address)))];
      const done = caughtUp({ workspaceId, readAfter: positionFromToken(readAfter) }, own.map((lane) => layout.messagingStatus(lane)));
      // Whoever asked may have failed before it looks
      done.catch(() => {});
      return () => done;
    },
  };
}

/** What nobody could read, and its way back behind all others of its lane. */
function setAsideBy(tables: ReturnType<typeof openCassandraStatusStore>, lanes: MeshLanes) {
  return {
    listSetAside: (max: number) => tables.listSetAside(max),
    redriveSetAside: () =>
      redriveReadable(tables, {
        isReadable: isLaneRecord,
        async putBack(kept) {
          const { workspaceId, record } = decodeLaneBody(kept.body);
          await lanes.append(lanes.layout.messagingStatus(lanes.layout.laneOf(workspaceId, record.address)), kept.body);
          await tables.forgetSetAside(kept);
        },
      }),
  };
}

/** Where the migrations of the service's tables lie. */
export const messagingStatusSchema: string = join(import.meta.dirname, "store/schema");

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. */
export async function openMeshStatusMove(config: StoreConfig, clock: Clock) {
  const { session, close } = await openKeyspace(config, messagingStatusSchema, clock);
  const tables = openCassandraStatusStore(session);
  return { ...cassandraStatusMove(session, tables), linkKeys: tables.linkKeys, close };
}
