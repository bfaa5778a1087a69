/** The subscription service put together: store, lane, use cases. The only file of the service that sees all of them. */
import { behindIn, type ConsentOptions, type ConsentPart, openEmbeddedConsent, setAsideIn } from "../consent/embedded.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { newId } from "../../platform/identifier.ts";
import type { LedgerEntry } from "../../platform/ledger/ledger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { noTracer } from "../../platform/telemetry/tracer.ts";
import type { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { Group } from "./domain/group.ts";
import { changedBehind } from "./domain/group-order.ts";
import { noMemberships, subjectsOf } from "./domain/memberships.ts";
import { eventsOf } from "./events/membership-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { membershipMessages } from "./lanes/lane-message.ts";
import { subscriptionRoutes } from "./rpc/routes.ts";
import { openSqliteSubscriptionStore } from "./store/sqlite.ts";
import { sweepRegularly } from "./sweep-merges.ts";

export type { Channel, Group } from "./domain/group.ts";

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
    isBlocked: asked.isHeld,
    clock,
    logger,
  });
  return {
    service: subscriptionRoutes({
      store: tables.store,
      changeGroups: ({ workspaceId }, change) => tables.changeGroups(workspaceId, (groups, end) => changedBehind(groups, change, end)),
      ...asked,
      caught: { ask: ({ workspaceId }) => (_, users) => caughtUp({ workspaceId, keys: users }) },
      profile,
      intake: { log, clock, tracer, decided: (scope, position) => profile.awaitOutcome({ scope, position }) },
      newGroupId: () => newId("uuid", clock),
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

/** Makes a workspace's groups be as declared, also in the files of a server that runs. For `heddle apply`. */
export async function declareGroups(
  database: Database,
  workspaceId: string,
  declared: { readonly groups: readonly Omit<Group, "archived">[]; readonly prune: boolean },
): Promise<void> {
  const { changeGroups } = await openSqliteSubscriptionStore(database);
  await changeGroups(workspaceId, (groups, end) => changedBehind(groups, { type: "declare", ...declared }, end));
}

/** A workspace's groups in the data folder, archived ones too. */
export async function readGroups(database: Database, workspaceId: string): Promise<readonly Group[]> {
  const { store } = await openSqliteSubscriptionStore(database);
  return await store.groups(workspaceId);
}

/** The ledger in the data folder, for `heddle consent`. */
export async function readMembershipLedger(database: Database) {
  const tables = await openSqliteSubscriptionStore(database);
  const { store, history, chains, verify } = tables;
  return {
    chains,
    verify,
    groups: store.groups,
    ...setAsideIn(tables, membershipMessages),
    behind: () => behindIn(tables),
    /** Of a user and of those who were merged into it, in order. */
    async history(workspaceId: string, userId: string): Promise<LedgerEntry[]> {
      const row = (await store.load(workspaceId, [userId])).get(userId) ?? noMemberships(userId);
      const chains = await Promise.all(subjectsOf(row).map((subject) => history(workspaceId, subject)));
      return chains.flat().toSorted((a, b) => a.sequence - b.sequence || a.part - b.part);
    },
  };
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveMemberships(database: Database) {
  const { move, store, bringGroups } = await openSqliteSubscriptionStore(database);
  return { ...move, groups: store.groups, bringGroups };
}
