/** The messaging-status service put together: store, lane, links, use cases. The only file of the service that sees all of them. */
import { consentBeside, type ConsentOptions, type ConsentPart, openEmbeddedConsent } from "../consent/embedded.ts";
import type { Clock } from "../../platform/clock.ts";
import { openSqliteEvents } from "../../platform/events/sqlite.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { noTracer } from "../../platform/telemetry/tracer.ts";
import type { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { eventsOf } from "./events/status-events.ts";
import { applyMessages } from "./lanes/apply-messages.ts";
import { statusMessages } from "./lanes/lane-message.ts";
import { openUnsubscribeLinks } from "./links/unsubscribe-links.ts";
import type { DepsBeside } from "./rpc/request.ts";
import { messagingStatusRoutes, routesBeside } from "./rpc/routes.ts";
import { openSqliteStatusStore } from "./store/sqlite.ts";

export async function openMessagingStatus(options: ConsentOptions): Promise<ConsentPart<typeof MessagingStatusService>> {
  const { database, log, clock, logger, profile, tracer = noTracer } = options;
  const events = await openSqliteEvents({ database, clock });
  const tables = await openSqliteStatusStore({
    database,
    clock,
    onEntries: (workspaceId, entries) => events.append(eventsOf(workspaceId, entries)),
  });
  const { asked: { caughtUp, ...asked }, ...lane } = openEmbeddedConsent({
    service: "messaging-status",
    title: "Messaging status",
    tables,
    messages: statusMessages,
    apply: (ends, bodies) => applyMessages({ ...tables, ...ends }, bodies),
    clock,
    logger,
    tracer,
  });
  return {
    service: messagingStatusRoutes({
      store: tables.store,
      ...asked,
      barrier: { ask: ({ workspaceId }, of) => () => caughtUp({ workspaceId, ...(of !== "all" && { keys: of }) }) },
      profile,
      intake: { log, clock, tracer, decided: (scope, position) => profile.awaitOutcome({ scope, position }) },
      links: openUnsubscribeLinks(tables.linkKeys),
      ledger: tables,
    }),
    ...lane,
    work: asked.work,
  };
}

/** For commands, over the data folder; `profile` says who is meant. */
export async function messagingStatusBeside(database: Database, profile: DepsBeside["profile"], clock: Clock) {
  const tables = await openSqliteStatusStore({ database, clock });
  const own = consentBeside({ service: "messaging-status", tables, messages: statusMessages, clock });
  return routesBeside({ ...own, store: tables.store, links: openUnsubscribeLinks(tables.linkKeys), profile });
}

/** The rows of the data folder, for `heddle backup` and `heddle restore` between the shapes. */
export async function moveStatuses(database: Database, clock: Clock) {
  const { move, linkKeys } = await openSqliteStatusStore({ database, clock });
  return { ...move, linkKeys };
}
