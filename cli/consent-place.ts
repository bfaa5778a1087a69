/** Where commands find consent: in a data folder, or in the mesh whose settings the environment holds. */
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../platform/clock.ts";
import type { SetAsidePlace } from "../platform/lane/hold-back.ts";
import { shownFrom, type ShownRecord } from "../platform/lane/shown-record.ts";
import type { LedgerDamage, LedgerEntry } from "../platform/ledger/ledger.ts";
import { ledgerEntryFromMessage } from "../platform/ledger/message.ts";
import { readPeer } from "../platform/mesh-config.ts";
import { directClient } from "../platform/rpc/direct.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { ProfileService } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { messagingStatusBeside } from "../services/messaging-status/wire.ts";
import { usersBeside } from "../services/profile/wire.ts";
import { subscriptionBeside } from "../services/subscription/wire.ts";
import { type PartPlace, withCalled } from "./called-part.ts";
import { readSettings } from "./settings.ts";

export interface ConsentPlace {
  readonly subscription: Client<typeof SubscriptionService>;
  readonly messagingStatus: Client<typeof MessagingStatusService>;
  readonly ledgers: readonly LedgerPlace[];
}

export interface LedgerPlace {
  readonly ledger: "subscription" | "messaging-status";
  verify(workspaceId: string): Promise<{ readonly entries: number; readonly damage: Omit<LedgerDamage, "$typeName"> | undefined }>;
  /** Every entry of a workspace, one chain after the other. */
  entries(workspaceId: string): AsyncIterable<LedgerEntry>;
  /** Lane records that wait for a human, of all workspaces, some of them behind `after`. */
  setAside(after: SetAsidePlace | undefined): Promise<UnreadPage>;
  /** What one of them says. */
  show(at: SetAsidePlace): Promise<ShownRecord>;
  /** How far what came of the resolver is applied. */
  lag(): Promise<LaneLag>;
  /** Tries those that can be read now once more; how many. */
  redrive(): Promise<number>;
  /** Passes over the one that holds its user or address back, and tries those behind it once more. */
  skip(at: SetAsidePlace): Promise<void>;
}

export interface LaneLag {
  readonly lane: string;
  readonly records: number;
  /** 0 where no process was asked that looks regularly. */
  readonly seconds: number;
}

interface UnreadPage {
  readonly records: readonly UnreadRecord[];
  /** Whether there may be others behind these; undefined: a part of the build before, which goes on behind none. */
  readonly more: boolean | undefined;
}

export interface UnreadRecord {
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly sequence: number;
  readonly part: number;
  /** The user or address; empty where the record does not say it. */
  readonly key: string;
  readonly reason: string;
}

/** `database`: of the data folder; without it the services are called, at HEDDLE_SUBSCRIPTION_URL and HEDDLE_MESSAGING_STATUS_URL. */
export async function withConsentPlace<T>(
  { database, env = process.env }: PartPlace,
  work: (place: ConsentPlace) => Promise<T>,
): Promise<T> {
  if (database) return await work(placeOf(await subscriptionIn(database), await messagingStatusIn(database)));
  const peers = readSettings(env, (reader) => ({
    subscription: readPeer(reader, "subscription"),
    messagingStatus: readPeer(reader, "messaging-status"),
  }));
  return await withCalled(SubscriptionService, peers.subscription, (subscription) => {
    return withCalled(MessagingStatusService, peers.messagingStatus, (messagingStatus) => work(placeOf(subscription, messagingStatus)));
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

function placeOf(subscription: ConsentPlace["subscription"], messagingStatus: ConsentPlace["messagingStatus"]): ConsentPlace {
  const ledgers = [ledgerPlace("subscription", subscription), ledgerPlace("messaging-status", messagingStatus)];
  return { subscription, messagingStatus, ledgers };
}

type LedgerCalls = "verifyLedger" | "exportLedger" | "getProgress" | "listSetAside" | "showSetAside" | "redriveSetAside" | "skipSetAside";

function ledgerPlace(
  ledger: LedgerPlace["ledger"],
  client: Pick<Client<typeof SubscriptionService>, LedgerCalls> | Pick<Client<typeof MessagingStatusService>, LedgerCalls>,
): LedgerPlace {
  return {
    ledger,
    async verify(workspaceId) {
      let checked = 0;
      for (let from = "";;) {
        const { entries, damage, next } = await client.verifyLedger({ scope: { workspaceId }, from });
        // A part of the build before checks all of them, whatever it is asked for
        if (next === undefined) return { entries: Number(entries), damage };
        checked += Number(entries);
        if (damage !== undefined || next === "") return { entries: checked, damage };
        from = next;
      }
    },
    async *entries(workspaceId) {
      for (let from = "";;) {
        const { entries, next } = await client.exportLedger({ scope: { workspaceId }, from });
        yield* entries.map(ledgerEntryFromMessage);
        if (next === "") return;
        from = next;
      }
    },
    async setAside(after) {
      const place = after && { workspaceId: after.workspaceId, sequence: BigInt(after.sequence), part: after.part };
      const { records, more } = await client.listSetAside(place === undefined ? {} : { after: place });
      const shown = records.map(({ workspaceId, sequence, part, key, reason }) => {
        return { workspaceId, sequence: Number(sequence), part, key, reason };
      });
      return { records: shown, more };
    },
    async show({ sequence, ...at }) {
      return shownFrom((await client.showSetAside({ ...at, sequence: BigInt(sequence) })).record);
    },
    async lag() {
      const { lanes } = await client.getProgress({});
      return { lane: ledger, records: Number(lanes[0]?.records ?? 0), seconds: lanes[0]?.seconds ?? 0 };
    },
    redrive: async () => (await client.redriveSetAside({})).records,
    skip: async ({ sequence, ...at }) => void await client.skipSetAside({ ...at, sequence: BigInt(sequence) }),
  };
}
