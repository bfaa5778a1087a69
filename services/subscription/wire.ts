/** The subscription service put together: store, lane, use cases. The only file of the service that sees all of them. */
import { behindIn, openEmbeddedConsent, setAsideIn } from "../consent/embedded.ts";
import type { Client, ServiceImpl } from "@connectrpc/connect";
import type { Clock } from "../../platform/clock.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import { newId } from "../../platform/identifier.ts";
import type { LedgerEntry } from "../../platform/ledger/ledger.ts";
import type { Log } from "../../platform/log/log.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import type { LaneWork } from "../../platform/telemetry/work-metrics.ts";
import { noTracer, type Tracer } from "../../platform/telemetry/tracer.ts";
import type { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import type { Group } from "./domain/group.ts";
import { changedBehind } from "./domain/group-order.ts";
import { subjectsOf } from "./domain/memberships.ts";
import { eventsOf } from "./events/membership-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { membershipMessages } from "./lanes/lane-message.ts";
import { subscriptionRoutes } from "./rpc/routes.ts";
import { sqliteMembershipMove } from "./store/moved-sqlite.ts";
import { openSqliteSubscriptionStore } from "./store/sqlite.ts";
import { sweepRegularly } from "./sweep-merges.ts";

export type { Channel, Group } from "./domain/group.ts";

export interface SubscriptionOptions {
  /** Closed by the caller, after this part. */
  readonly database: Database;
  readonly log: Log;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly profile: Client<typeof ProfileService>;
  readonly tracer?: Tracer;
}

export interface SubscriptionPart {
  readonly service: ServiceImpl<typeof SubscriptionService>;
  /** The resolver wrote a step. */
  notify(): void;
  health(): { readonly ready: boolean; readonly reason?: string };
  /** What waits in its lane, and for a human. */
  readonly work: LaneWork;
  /** Resolves when everything that is in the lane is applied. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export async function openSubscription(options: SubscriptionOptions): Promise<SubscriptionPart> {
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
  const stopSweeping = sweepRegularly(tables.store, { clock, logger });
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

/** The ledger in the data folder, for `heddle consent`. */
export async function readMembershipLedger(database: Database) {
  const tables = await openSqliteSubscriptionStore(database);
  const { store, history, chains, verify } = tables;
  return {
    chains,
    verify,
    ...setAsideIn(tables, membershipMessages),
    behind: () => behindIn(tables),
    /** Of a user and of those who were merged into it, in order. */
    async history(workspaceId: string, userId: string): Promise<LedgerEntry[]> {
      const row = (await store.load(workspaceId, [userId])).get(userId);
      const chains = await Promise.all((row === undefined ? [userId] : subjectsOf(row)).map((subject) => history(workspaceId, subject)));
      return chains.flat().toSorted((a, b) => a.sequence - b.sequence || a.part - b.part);
    },
  };
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveMemberships(database: Database) {
  const tables = await openSqliteSubscriptionStore(database);
  return { ...sqliteMembershipMove(database, tables), groups: tables.store.groups, bringGroups: tables.bringGroups };
}
