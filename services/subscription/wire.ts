/** The subscription service put together: store, lane, use cases. The only file of the service that sees all of them. */
import { consentBeside, type ConsentOptions, type ConsentPart, openEmbeddedConsent } from "../consent/embedded.ts";
import type { Clock } from "../../platform/clock.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { newId } from "../../platform/identifier.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { noTracer } from "../../platform/telemetry/tracer.ts";
import type { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { changedBehind } from "./domain/group-order.ts";
import { eventsOf } from "./events/membership-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { membershipMessages } from "./lanes/lane-message.ts";
import { type DepsBeside, routesBeside, subscriptionRoutes } from "./rpc/routes.ts";
import { type EmbeddedTables, openSqliteSubscriptionStore } from "./store/sqlite.ts";
import { sweepRegularly } from "./sweep-merges.ts";

export async function openSubscription(options: ConsentOptions): Promise<ConsentPart<typeof SubscriptionService>> {
  const { database, log, clock, logger, profile, tracer = noTracer } = options;
  const events = await openSqliteEvents({ database, clock });
  const tables = await openSqliteSubscriptionStore(database, (workspaceId, entries) => events.append(eventsOf(workspaceId, entries)));
  const { asked: { caughtUp, ...asked }, ...lane } = openEmbeddedConsent({
    service: "subscription",
    title: "Subscription",
    tables,
    messages: membershipMessages,
    apply: (ends, bodies) => applyMessages({ ...tables, ...ends }, bodies),
    clock,
    logger,
    tracer,
  });
  const stopSweeping = sweepRegularly({
    store: tables.store,
    isApplied: (workspaceId, keys) => caughtUp({ workspaceId, keys }),
    isBlocked: asked.isBlocked,
    clock,
    logger,
  });
  return {
    service: subscriptionRoutes({
      ...groupsOf(tables, clock),
      store: tables.store,
      ...asked,
      barrier: { ask: ({ workspaceId }) => (_, users) => caughtUp({ workspaceId, keys: users }) },
      profile,
      intake: { log, clock, tracer, decided: (scope, position) => profile.awaitOutcome({ scope, position }) },
      ledger: tables,
    }),
    ...lane,
    work: asked.work,
    close() {
      stopSweeping();
      return lane.close();
    },
  };
}

function groupsOf({ changeGroups }: EmbeddedTables, clock: Clock): Pick<DepsBeside, "changeGroups" | "newGroupId"> {
  return {
    changeGroups: ({ workspaceId }, change) => changeGroups(workspaceId, (groups, end) => changedBehind(groups, change, end)),
    newGroupId: () => newId("uuid", clock),
  };
}

/** For commands, over the data folder; `profile` says who is meant. */
export async function subscriptionBeside(database: Database, profile: DepsBeside["profile"], clock: Clock) {
  const tables = await openSqliteSubscriptionStore(database);
  const own = consentBeside({ service: "subscription", tables, messages: membershipMessages, clock });
  return routesBeside({ ...own, ...groupsOf(tables, clock), store: tables.store, profile });
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveMemberships(database: Database) {
  const { move, store, bringGroups } = await openSqliteSubscriptionStore(database);
  return { ...move, groups: store.groups, bringGroups };
}
