/** Where commands find consent: in a data folder, or in the mesh whose settings the environment holds. */
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../../platform/clock.ts";
import type { LedgerDamage, LedgerEntry } from "../../platform/ledger/ledger.ts";
import { ledgerEntryFromMessage } from "../../platform/ledger/message.ts";
import { readPeer } from "../../platform/mesh-config.ts";
import { directClient } from "../../platform/rpc/direct.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { MessagingStatusService } from "../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { messagingStatusBeside } from "../../services/messaging-status/wire.ts";
import { usersBeside } from "../../services/profile/wire.ts";
import { subscriptionBeside } from "../../services/subscription/wire.ts";
import { type PartTarget, withCalled } from "./called-part.ts";
import { readSettings } from "./settings.ts";

export interface ConsentTarget {
  readonly subscription: Client<typeof SubscriptionService>;
  readonly messagingStatus: Client<typeof MessagingStatusService>;
  readonly ledgers: readonly LedgerTarget[];
}

/** One of the two services. */
export interface LedgerTarget {
  readonly ledger: "subscription" | "messaging-status";
  readonly client: Pick<Client<typeof SubscriptionService>, LedgerCalls> | Pick<Client<typeof MessagingStatusService>, LedgerCalls>;
}

type LedgerCalls = "verifyLedger" | "exportLedger" | "getProgress" | "listSetAside" | "showSetAside" | "redriveSetAside" | "skipSetAside";

/** `database`: of the data folder; without it the services are called, at HEDDLE_SUBSCRIPTION_URL and HEDDLE_MESSAGING_STATUS_URL. */
export async function withConsentTarget<T>(
  { database, env = process.env }: PartTarget,
  work: (target: ConsentTarget) => Promise<T>,
): Promise<T> {
  if (database) return await work(targetOf(await subscriptionIn(database), await messagingStatusIn(database)));
  const peers = readSettings(env, (reader) => ({
    subscription: readPeer(reader, "subscription"),
    messagingStatus: readPeer(reader, "messaging-status"),
  }));
  return await withCalled(SubscriptionService, peers.subscription, (subscription) => {
    return withCalled(MessagingStatusService, peers.messagingStatus, (messagingStatus) => work(targetOf(subscription, messagingStatus)));
  });
}

/** The service over a data folder. */
export async function subscriptionIn(database: Database): Promise<Client<typeof SubscriptionService>> {
  return directClient(SubscriptionService, await subscriptionBeside(database, usersIn(database), systemClock));
}

/** As subscriptionIn. */
export async function messagingStatusIn(database: Database): Promise<Client<typeof MessagingStatusService>> {
  return directClient(MessagingStatusService, await messagingStatusBeside(database, usersIn(database), systemClock));
}

function usersIn(database: Database): Client<typeof ProfileService> {
  return directClient(ProfileService, usersBeside(database));
}

function targetOf(subscription: ConsentTarget["subscription"], messagingStatus: ConsentTarget["messagingStatus"]): ConsentTarget {
  const ledgers = [{ ledger: "subscription", client: subscription }, { ledger: "messaging-status", client: messagingStatus }] as const;
  return { subscription, messagingStatus, ledgers };
}

export async function verifyLedger(
  { client }: LedgerTarget,
  workspaceId: string,
): Promise<{ readonly entries: number; readonly damage: Omit<LedgerDamage, "$typeName"> | undefined }> {
  let checked = 0;
  for (let from = "";;) {
    const { entries, damage, next } = await client.verifyLedger({ scope: { workspaceId }, from });
    // A part of the build before checks all of them, whatever it is asked for
    if (next === undefined) return { entries: Number(entries), damage };
    checked += Number(entries);
    if (damage !== undefined || next === "") return { entries: checked, damage };
    from = next;
  }
}

/** Every entry of a workspace, one chain after the other. */
export async function* ledgerEntries({ client }: LedgerTarget, workspaceId: string): AsyncGenerator<LedgerEntry> {
  for (let from = "";;) {
    const { entries, next } = await client.exportLedger({ scope: { workspaceId }, from });
    yield* entries.map(ledgerEntryFromMessage);
    if (next === "") return;
    from = next;
  }
}
