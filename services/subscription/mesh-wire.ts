/** The subscription service as a process of the mesh: its lanes, Cassandra, events and its RPCs put together. */
import { join } from "node:path";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Clock } from "../../platform/clock.ts";
import { openEventStream } from "../../platform/events/jetstream.ts";
import { newId } from "../../platform/identifier.ts";
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
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { Caught } from "./domain/ports.ts";
import { eventsOf } from "./events/membership-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { decodeLaneBody, isLaneRecord } from "./lanes/lane-message.ts";
import type { MeshSubscriptionConfig } from "./mesh-config.ts";
import { subscriptionRoutes } from "./rpc/routes.ts";
import { cassandraMembershipMove } from "./store/moved-cassandra.ts";
import { openCassandraSubscriptionStore } from "./store/cassandra.ts";
import { sweepRegularly } from "./sweep-merges.ts";

export { type MeshSubscriptionConfig, readMeshSubscriptionConfig, readMeshSubscriptionStore } from "./mesh-config.ts";

export interface MeshSubscription {
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
export async function serveMeshSubscription(config: MeshSubscriptionConfig, parts: MeshParts): Promise<MeshSubscription> {
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
  config: MeshSubscriptionConfig,
  { clock, logger, telemetry = noTelemetry }: MeshParts,
  opened: Opened,
): Promise<Omit<MeshSubscription, "close">> {
  const { session, watch, close: closeStore } = await openKeyspace(config, subscriptionSchema, clock);
  opened.push(closeStore);
  const tables = openCassandraSubscriptionStore(session);
  const events = await openEventStream({ ...config.events, logger });
  opened.push(() => events.close());
  const lanes = await openMeshLanes({ service: "subscription", streams: config, clock, logger });
  opened.push(() => lanes.close());
  const calls = { deadlineMs: limits.drainMsMax, clock, logger };
  const profile = connectClient(ProfileService, { ...config.profile, caller: "subscription", ...calls });
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
  opened.push(watchWork(telemetry.metrics, "subscription", work));
  opened.push(sweepRegularly(tables.store, { clock, logger }));
  const service = subscriptionRoutes({
    store: tables.store,
    caught: caughtBy(lanes),
    profile: client,
    intake: {
      log: lanes.intake,
      clock,
      tracer: telemetry.tracer,
      decided: (scope, position) => client.awaitOutcome({ scope, position }),
    },
    newGroupId: () => newId("uuid", clock),
    ledger: tables,
    setAside: setAsideBy(tables, lanes),
  });
  function health(): Readiness {
    const reason = (watch.there ? undefined : "Cassandra is away") ?? lanes.trouble();
    return { ready: reason === undefined, ...(reason !== undefined && { reason }) };
  }
  const server = await serveRpc({
    routes: [rpcRoute(SubscriptionService, service)],
    ...config.rpc,
    callers: new Map([[SubscriptionService.typeName, config.rpc.callers]]),
    clock,
    logger,
    telemetry,
    health,
  });
  opened.push(() => server.close());
  return { url: server.url, health };
}

/** All memberships of a workspace are in one lane. */
function caughtBy({ caughtUp, layout }: MeshLanes): Caught {
  return {
    ask({ workspaceId, readAfter }) {
      const lane = layout.subscription(layout.subscriptionLaneOf(workspaceId));
      const done = caughtUp({ workspaceId, readAfter: positionFromToken(readAfter) }, [lane]);
      // Whoever asked may have failed before it looks
      done.catch(() => {});
      return () => done;
    },
  };
}

/** What nobody could read, and its way back behind all others of its lane. */
function setAsideBy(tables: ReturnType<typeof openCassandraSubscriptionStore>, lanes: MeshLanes) {
  return {
    listSetAside: (max: number) => tables.listSetAside(max),
    redriveSetAside: () =>
      redriveReadable(tables, {
        isReadable: isLaneRecord,
        async putBack(kept) {
          const { workspaceId } = decodeLaneBody(kept.body);
          await lanes.append(lanes.layout.subscription(lanes.layout.subscriptionLaneOf(workspaceId)), kept.body);
          await tables.forgetSetAside(kept);
        },
      }),
  };
}

/** Where the migrations of the service's tables lie. */
export const subscriptionSchema: string = join(import.meta.dirname, "store/schema");

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. */
export async function openMeshMembershipMove(config: StoreConfig, clock: Clock) {
  const { session, close } = await openKeyspace(config, subscriptionSchema, clock);
  const tables = openCassandraSubscriptionStore(session);
  return { ...cassandraMembershipMove(session, tables), groups: tables.store.groups, changeGroups: tables.store.changeGroups, close };
}
