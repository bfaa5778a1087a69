/** The messaging-status service as a process of the mesh: what it has of its own, for `serveMeshPart`. */
import { join } from "node:path";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { positionFromToken } from "../../platform/intake/position.ts";
import type { LaneRead, MeshLanes } from "../consent/lane/mesh-lanes.ts";
import { type MeshPartPlan, serveMeshPart } from "../consent/lane/mesh-part.ts";
import { type MeshPartConfig, readMeshPart, type StoreConfig } from "../../platform/mesh-config.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import type { ReadBarrier } from "./domain/ports.ts";
import { eventsOf } from "./events/status-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { statusMessages } from "./lanes/lane-message.ts";
import { openUnsubscribeLinks } from "./links/unsubscribe-links.ts";
import { messagingStatusRoutes } from "./rpc/routes.ts";
import { openCassandraStatusStore } from "./store/cassandra.ts";

export function readMeshMessagingStatusConfig(reader: ConfigReader): MeshPartConfig {
  return readMeshPart(reader, "messaging-status", { port: 9103, callers: ["gateway", "profile", "content"] });
}

/** As serveMeshPart. */
export async function serveMeshMessagingStatus(config: MeshPartConfig, ends: PartEnds): Promise<ServedPart> {
  return await serveMeshPart(plan, config, ends);
}

/** Where the migrations of the service's tables lie. */
export const messagingStatusSchema: string = join(import.meta.dirname, "store/schema");

const plan: MeshPartPlan<ReturnType<typeof openCassandraStatusStore>, typeof MessagingStatusService> = {
  name: "messaging-status",
  service: MessagingStatusService,
  schemaFolder: messagingStatusSchema,
  openTables: (session, { clock }) => openCassandraStatusStore(session, clock),
  apply: applyMessages,
  eventsOf,
  messages: statusMessages,
  laneOf: (layout, { workspaceId, key }) => layout.messagingStatus(layout.laneOf(workspaceId, key)),
  routes: ({ tables, lanes, ...serving }) =>
    messagingStatusRoutes({
      ...serving,
      store: tables.store,
      barrier: barrierOf(lanes),
      links: openUnsubscribeLinks(tables.linkKeys),
      ledger: tables,
    }),
};

/** Waits for the lanes of the addresses that a read is about. */
function barrierOf({ caughtUp, layout }: MeshLanes): ReadBarrier {
  const all = Array.from({ length: layout.lanes }, (_, lane): LaneRead => ({ lane: layout.messagingStatus(lane), names: "all" }));
  function readsOf(workspaceId: string, addresses: readonly string[]): LaneRead[] {
    const lanes = Map.groupBy(new Set(addresses), (address) => layout.messagingStatus(layout.laneOf(workspaceId, address)));
    return Array.from(lanes, ([lane, names]) => ({ lane, names }));
  }
  return {
    ask({ workspaceId, readAfter }, addresses) {
      const reads = addresses === "all" ? all : readsOf(workspaceId, addresses);
      const done = caughtUp({ workspaceId, readAfter: positionFromToken(readAfter) }, reads);
      // The caller may fail before it takes the result
      done.catch(() => {});
      return () => done;
    },
  };
}

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. */
export async function openMeshStatusMove(config: StoreConfig, clock: Clock) {
  const { session, close } = await openKeyspace(config, messagingStatusSchema, clock);
  const { move, linkKeys } = openCassandraStatusStore(session, clock);
  return { ...move, linkKeys, close };
}
