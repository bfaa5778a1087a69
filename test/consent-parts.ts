/** The parts that consent goes through, in one process: profile, subscription and messaging-status on a database in memory. */
import { setImmediate } from "node:timers/promises";
import { fakeClock } from "../platform/clock.fixture.ts";
import { openSqliteLog } from "../platform/log/sqlite.ts";
import { silentLogger } from "../platform/logger.ts";
import { directClient } from "../platform/rpc/direct.ts";
import { type Database, openDatabase } from "../platform/sqlite/database.ts";
import type { LaneWork } from "../platform/telemetry/work-metrics.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { Channel, SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { openMessagingStatus } from "../services/messaging-status/wire.ts";
import { type EmailStatuses, emailStatusesBy, noStatuses, openProfile } from "../services/profile/wire.ts";
import { openSubscription } from "../services/subscription/wire.ts";

export const scope = { workspaceId: "w", requestId: "request", actor: "key", route: "route" };

/** With the groups `letter`, `news` (email) and `offers` (SMS). `consentOn`: the database as the services of consent see it. */
export async function openConsentParts(consentOn: (database: Database) => Database = (database) => database) {
  const clock = fakeClock();
  const database = openDatabase({ path: ":memory:" });
  const log = await openSqliteLog({ database, partitions: 1, clock });
  const owners: { notify(): void }[] = [];
  const shared = { database, log, clock, logger: silentLogger };
  let emailStatuses: EmailStatuses | undefined;
  const profile = await openProfile({
    ...shared,
    undoWindowMs: 1_000,
    onConsent: () => owners.forEach((owner) => owner.notify()),
    emailStatuses: { load: (...asked) => emailStatuses?.load(...asked) ?? Promise.resolve(noStatuses) },
  });
  const profileClient = directClient(ProfileService, profile.service);
  const consent = { ...shared, database: consentOn(database), profile: profileClient };
  const subscription = await openSubscription(consent);
  const messagingStatus = await openMessagingStatus(consent);
  owners.push(subscription, messagingStatus);
  const messagingStatusClient = directClient(MessagingStatusService, messagingStatus.service);
  emailStatuses = emailStatusesBy(messagingStatusClient);
  const parts = {
    clock,
    database,
    profile: profileClient,
    subscription: directClient(SubscriptionService, subscription.service),
    messagingStatus: messagingStatusClient,
    health: () => [subscription.health(), messagingStatus.health()],
    track: (attributes: readonly object[]) => profileClient.trackUsers({ scope, bodyJson: Buffer.from(JSON.stringify({ attributes })) }),
    async settled() {
      await profile.settled();
      await Promise.all([applied(subscription), applied(messagingStatus)]);
    },
    async close() {
      for (const part of [subscription, messagingStatus, profile, log, database]) await part.close();
    },
  };
  await parts.subscription.declareGroups({
    scope,
    groups: [
      { id: "letter", name: "Letter", channel: Channel.EMAIL },
      { id: "news", name: "News", channel: Channel.EMAIL },
      { id: "offers", name: "Offers", channel: Channel.SMS },
    ],
  });
  return parts;
}

/** Until all that is in the lane is applied, for as long as the file cannot be read. */
async function applied({ notify, work }: { notify(): void; readonly work: LaneWork }): Promise<void> {
  for (;;) {
    notify();
    const lags = await work.lags().catch(() => undefined);
    if (lags?.every(({ records }) => records === 0)) return;
    await setImmediate();
  }
}

export type ConsentParts = Awaited<ReturnType<typeof openConsentParts>>;
