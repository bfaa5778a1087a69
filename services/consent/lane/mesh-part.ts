/** A service that owns consent, as a process of the mesh: its tables, its lanes, its events and its RPCs put together. */
import type { DescService } from "@bufbuild/protobuf";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import { type Keyspace, openKeyspace } from "../../../platform/cassandra/keyspace.ts";
import type { Session } from "../../../platform/cassandra/session.ts";
import type { Clock } from "../../../platform/clock.ts";
import { openEpochGuard } from "../../../platform/epoch/guard.ts";
import { type EpochPartEnds, serveInEpoch } from "../../../platform/epoch/serve-in-epoch.ts";
import type { PublishedEvent } from "../../../platform/events/events.ts";
import { openEventStream } from "../../../platform/events/jetstream.ts";
import type { IntakeDeps } from "../../../platform/intake/intake.ts";
import { limits } from "../../../platform/limits.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { MeshPartConfig } from "../../../platform/mesh-config.ts";
import { openAll, type Opened } from "../../../platform/open-all.ts";
import { connectClient } from "../../../platform/rpc/client.ts";
import { rpcRoute } from "../../../platform/rpc/guard.ts";
import type { PartEnds, ServedPart } from "../../../platform/rpc/served-part.ts";
import { serveRpc } from "../../../platform/rpc/server.ts";
import { measuredLog } from "../../../platform/telemetry/measured-log.ts";
import type { Readiness } from "../../../platform/telemetry/metrics-server.ts";
import { type LaneBacklog, type LaneWork, watchWork } from "../../../platform/telemetry/work-metrics.ts";
import { ProfileService } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type BacklogLook, openBacklogLook } from "../../../platform/lane/backlog-look.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import type { Whose } from "../../../platform/lane/hold-back.ts";
import type { ApplyEnds } from "../engine/apply-messages.ts";
import type { LaneStep } from "../engine/plan-step.ts";
import { type IsBlocked, openBlocked } from "./blocked.ts";
import type { LaneBody } from "../engine/lane-message.ts";
import type { ConcernOf } from "./lane-window.ts";
import type { LaneLayout } from "../../../platform/lane/layout.ts";
import { type DeadLetterTables, type RedriveMessages, type Redriving, redriving } from "./redrive.ts";
import { type MeshLanes, type MeshLanesOptions, openMeshLanes } from "./mesh-lanes.ts";

/** What makes one service of the two. */
export interface MeshPartPlan<Tables extends PartTables, Service extends DescService> {
  readonly messages: RedriveMessages & { readonly concernOf: ConcernOf };
  readonly name: MeshLanesOptions["service"];
  /** Where the migrations of its tables lie. */
  readonly schemaFolder: string;
  openTables(session: Session, ends: OpenTables): Tables;
  /** Everything is saved and published when it resolves; doing it again is harmless. */
  apply(deps: Tables & ApplyEnds, bodies: readonly LaneBody[]): Promise<void>;
  /** What others hear of entries of its ledger. */
  eventsOf(workspaceId: string, entries: readonly LedgerEntry[]): PublishedEvent[];
  /** The lane, as the layout numbers it. */
  laneOf(layout: LaneLayout, whose: Whose): number;
  readonly service: Service;
  /** Its RPCs. */
  routes(serving: Serving<Tables>): ServiceImpl<Service>;
  /** Work on the tables beside the lanes; the returned function ends it. */
  beside?(deps: Pick<Serving<Tables>, "tables" | "lanes" | "isBlocked">, ends: PartEnds): () => Promise<void> | void;
}

interface OpenTables extends Pick<Keyspace, "sealedBy"> {
  readonly clock: Clock;
}

interface PartTables extends DeadLetterTables {
  commit(step: Pick<LaneStep<never>, "deadLetters">): Promise<void>;
}

interface Serving<Tables> {
  readonly tables: Tables;
  readonly lanes: MeshLanes;
  readonly profile: Client<typeof ProfileService>;
  readonly intake: IntakeDeps;
  readonly isBlocked: IsBlocked;
  readonly work: LaneWork;
  readonly deadLetters: Redriving;
  readonly clock: Clock;
}

/**
 * Refuses LOG_UNAVAILABLE and STORE_UNAVAILABLE where NATS or Cassandra cannot be reached; throws where the tables are not migrated.
 * Where log and rows do not fit it listens and refuses every call.
 */
export async function serveMeshPart<Tables extends PartTables, Service extends DescService>(
  plan: MeshPartPlan<Tables, Service>,
  config: MeshPartConfig,
  ends: PartEnds,
): Promise<ServedPart> {
  return await serveInEpoch({
    services: [plan.service],
    callers: callersOf(plan, config),
    rpc: config.rpc,
    ...ends,
    open: ({ rpc, ...further }) => openAll((opened) => open(plan, { ...config, rpc }, { ends: { ...ends, ...further }, opened })),
  });
}

function callersOf({ service }: { readonly service: DescService }, { rpc }: MeshPartConfig): Map<string, readonly string[]> {
  return new Map([[service.typeName, rpc.callers]]);
}

type OpenEnds = PartEnds & Pick<EpochPartEnds<MeshPartConfig["rpc"]>, "onMismatch" | "beforeListen">;

async function open<Tables extends PartTables, Service extends DescService>(
  plan: MeshPartPlan<Tables, Service>,
  config: MeshPartConfig,
  { ends, opened }: { readonly ends: OpenEnds; readonly opened: Opened },
): Promise<Omit<ServedPart, "close">> {
  const { clock, logger, telemetry, tenants, onMismatch, beforeListen } = ends;
  const { tracer, metrics } = telemetry;
  const { session, watch, sealedBy, close: closeStore } = await openKeyspace(config, plan.schemaFolder, clock);
  opened.push(closeStore);
  const guard = await openEpochGuard({ service: plan.name, ...config, session, streams: config, clock, logger, onMismatch });
  opened.push(() => guard.close());
  const plain = plan.openTables(guard.session, { clock, sealedBy });
  const backlog = openBacklogLook(async () => ({ deadLetters: (await plain.listSetAside(limits.setAsidePageMax)).length }), clock);
  opened.push(() => backlog.close());
  const tables = noticing(plain, backlog);
  const events = await openEventStream({ ...config.events, logger });
  opened.push(() => events.close());
  const lanes = await openMeshLanes({ service: plan.name, streams: config, guard, clock, logger });
  opened.push(() => lanes.close());
  const calling = { caller: plan.name, deadlineMs: limits.drainMsMax, clock, logger, tracer };
  const called = connectClient(ProfileService, { ...config.profile, ...calling });
  opened.push(() => called.close());
  lanes.start({
    concernOf: plan.messages.concernOf,
    apply: (bodies, lane) =>
      plan.apply({
        ...tables,
        publish: (workspaceId, entries) => events.publish(plan.eventsOf(workspaceId, entries)),
        logger,
        traced: { tracer, lane },
      }, bodies),
  });
  const work: LaneWork = { ...lanes.work, backlog: () => backlog.backlog() };
  opened.push(watchWork(metrics, plan.name, work));
  const isBlocked = openBlocked({ waiting: tables.waiting, clock, keepMs: limits.heldLookMs });
  if (plan.beside) opened.push(plan.beside({ tables, lanes, isBlocked }, ends));
  const log = measuredLog(lanes.intake, "intake", metrics);
  const routes = plan.routes({
    tables,
    lanes,
    isBlocked,
    profile: called.client,
    intake: { log, clock, tracer, decided: (scope, position) => called.client.awaitOutcome({ scope, position }) },
    deadLetters: deadLettersBy(plan, tables, lanes),
    work,
    clock,
  });
  const storeWatch = watch();
  function health(): Readiness {
    return readinessOf(storeWatch.there ? lanes.trouble() : "Cassandra is away", backlog.reason());
  }
  await beforeListen();
  const serving = { ...config.rpc, routes: [rpcRoute(plan.service, routes)], callers: callersOf(plan, config), clock, logger, telemetry };
  const server = await serveRpc({ ...serving, health, tenants });
  opened.push(() => server.close());
  return { url: server.url, health };
}

/** The tables; what changes the list of what waits says so. */
function noticing<Tables extends PartTables>(tables: Tables, { changed }: Pick<BacklogLook<LaneBacklog>, "changed">): Tables {
  return {
    ...tables,
    commit: (step: Parameters<Tables["commit"]>[0]) => {
      const committed = tables.commit(step);
      return step.deadLetters.length === 0 ? committed : committed.finally(changed);
    },
    forgetSetAside: (records: readonly LaneRecord[]) => tables.forgetSetAside(records).finally(changed),
  };
}

/** Trouble makes it not ready; dead letters are reported, but do not. */
function readinessOf(trouble: string | undefined, waiting: string | undefined): Readiness {
  const reason = trouble ?? waiting;
  return { ready: trouble === undefined, ...(reason !== undefined && { reason }) };
}

function deadLettersBy<Tables extends PartTables>(
  plan: Pick<MeshPartPlan<Tables, DescService>, "messages" | "laneOf">,
  tables: Tables,
  { append, layout }: MeshLanes,
): Redriving {
  return redriving({ ...plan.messages, tables, laneOf: (whose) => plan.laneOf(layout, whose), append });
}
