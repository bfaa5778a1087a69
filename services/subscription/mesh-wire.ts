/** The subscription service as a process of the mesh: what it has of its own, for `serveMeshPart`. */
import { join } from "node:path";
import { openKeyspace } from "../../platform/cassandra/keyspace.ts";
import type { Clock } from "../../platform/clock.ts";
import type { ConfigReader } from "../../platform/config.ts";
import { newId } from "../../platform/identifier.ts";
import { type Position, positionFromToken } from "../../platform/intake/position.ts";
import type { LaneRead, MeshLanes } from "../consent/lane/mesh-lanes.ts";
import { type MeshPartPlan, serveMeshPart } from "../consent/lane/mesh-part.ts";
import type { LaneLayout } from "../../platform/lane/layout.ts";
import { type MeshPartConfig, readMeshPart, type StoreConfig } from "../../platform/mesh-config.ts";
import type { PartEnds, ServedPart } from "../../platform/rpc/served-part.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { ReadBarrier } from "./domain/ports.ts";
import { eventsOf } from "./events/membership-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { changeGroupsInOrder } from "./lanes/change-groups.ts";
import { groupsName, membershipMessages } from "./lanes/lane-message.ts";
import { subscriptionRoutes } from "./rpc/routes.ts";
import { membersBucketOf, openCassandraSubscriptionStore } from "./store/cassandra.ts";
import { sweepRegularly } from "./sweep-merges.ts";

export function readMeshSubscriptionConfig(reader: ConfigReader): MeshPartConfig {
  return readMeshPart(reader, "subscription", { port: 9102, callers: ["gateway", "content"] });
}

/** As serveMeshPart. */
export async function serveMeshSubscription(config: MeshPartConfig, ends: PartEnds): Promise<ServedPart> {
  return await serveMeshPart(plan, config, ends);
}

/** Where the migrations of the service's tables lie. */
export const subscriptionSchema: string = join(import.meta.dirname, "store/schema");

const plan: MeshPartPlan<ReturnType<typeof openCassandraSubscriptionStore>, typeof SubscriptionService> = {
  name: "subscription",
  service: SubscriptionService,
  schemaFolder: subscriptionSchema,
  openTables: (session, ends) => openCassandraSubscriptionStore(session, membersBucketOf(ends)),
  apply: applyMessages,
  eventsOf,
  messages: membershipMessages,
  laneOf: (layout, { workspaceId }) => layout.subscription(layout.subscriptionLaneOf(workspaceId)),
  beside: ({ tables: { store }, lanes: { layout, caughtUp }, isBlocked }, { clock, logger }) =>
    sweepRegularly({
      store,
      isApplied: (workspaceId, names) => caughtUp({ workspaceId, readAfter: undefined }, [readOf(layout, workspaceId, names)]),
      isBlocked,
      clock,
      logger,
    }),
  routes({ tables, lanes, clock, ...serving }) {
    const changing = { intake: serving.intake, readGroups: tables.readGroups, caughtUp: caughtUpWithGroups(lanes), clock };
    return subscriptionRoutes({
      ...serving,
      store: tables.store,
      changeGroups: (scope, change) => changeGroupsInOrder(changing, scope, change),
      barrier: barrierOf(lanes, clock),
      newGroupId: () => newId("uuid", clock),
      ledger: tables,
    });
  },
};

/** All memberships of a workspace are in one lane. */
function readOf(layout: LaneLayout, workspaceId: string, names: LaneRead["names"]): LaneRead {
  return { lane: layout.subscription(layout.subscriptionLaneOf(workspaceId)), names };
}

function barrierOf({ caughtUp, layout }: MeshLanes, clock: Clock): ReadBarrier {
  return {
    ask({ workspaceId, readAfter }) {
      const began = clock.monotonic();
      return (end, users) =>
        caughtUp({
          workspaceId,
          readAfter: positionFromToken(readAfter),
          end: positionFromToken(end),
          waitedMs: clock.monotonic() - began,
        }, [readOf(layout, workspaceId, users)]);
    },
  };
}

function caughtUpWithGroups({ caughtUp, layout }: MeshLanes) {
  return (workspaceId: string, place?: Position) =>
    caughtUp({ workspaceId, readAfter: place }, [readOf(layout, workspaceId, [groupsName])]);
}

/** The rows of the mesh, for `heddle backup` and `heddle restore` between the shapes. */
export async function openMeshMembershipMove(config: StoreConfig, clock: Clock) {
  const { session, sealedBy, close } = await openKeyspace(config, subscriptionSchema, clock);
  const { move, store, bringGroups } = openCassandraSubscriptionStore(session, membersBucketOf({ sealedBy }));
  return { ...move, groups: store.groups, bringGroups, close };
}
