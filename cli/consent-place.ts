/** Where commands find consent: in a data folder, or in the mesh whose settings the environment holds. */
import type { Client } from "@connectrpc/connect";
import { systemClock } from "../platform/clock.ts";
import type { SetAsidePlace } from "../platform/lane/hold-back.ts";
import { shownFrom, type ShownRecord } from "../platform/lane/shown-record.ts";
import type { LedgerDamage, LedgerEntry } from "../platform/ledger/ledger.ts";
import { ledgerEntryFromMessage } from "../platform/ledger/message.ts";
import { limits } from "../platform/limits.ts";
import { readPeer } from "../platform/mesh-config.ts";
import type { Database } from "../platform/sqlite/database.ts";
import { MessagingStatusService } from "../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { SubscriptionService } from "../proto/gen/heddle/subscription/v1/subscription_service_pb.ts";
import { readMessagingStatus } from "../services/messaging-status/wire.ts";
import { findUserIds } from "../services/profile/wire.ts";
import { readMembershipLedger } from "../services/subscription/wire.ts";
import { type PartPlace, withCalled } from "./called-part.ts";
import { readSettings } from "./settings.ts";

export interface ConsentPlace {
  /** Of an address and of the users who have it, or of one user; in no order. Whether there is such a user, too. */
  history(workspaceId: string, subject: ConsentSubject): Promise<{ readonly entries: LedgerEntry[]; readonly isUser: boolean }>;
  readonly ledgers: readonly LedgerPlace[];
  /** The subscription groups of a workspace. */
  groups(workspaceId: string): Promise<readonly NamedGroup[]>;
  /** The token of an unsubscribe link. */
  linkPath(workspaceId: string, of: { readonly email: string; readonly groupId: string }): Promise<string>;
  /** The number of the new key. */
  rotateLinkKey(): Promise<string>;
}

export interface NamedGroup {
  readonly id: string;
  readonly name: string;
  readonly archived: boolean;
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
  /** Absent where no process was asked that looks regularly. */
  readonly seconds?: number;
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

export interface ConsentSubject {
  /** Absent where one user is meant. */
  readonly address: string | undefined;
  readonly key: SubjectKey;
}

type SubjectKey =
  | { readonly by: "externalId"; readonly id: string }
  | { readonly by: "email"; readonly address: string }
  | { readonly by: "phone"; readonly number: string };

/** `database`: of the data folder; without it the services are called, at HEDDLE_SUBSCRIPTION_URL and HEDDLE_MESSAGING_STATUS_URL. */
export async function withConsentPlace<T>(
  { database, env = process.env }: PartPlace,
  work: (place: ConsentPlace) => Promise<T>,
): Promise<T> {
  if (database) return await work(await inFolder(database));
  const peers = readSettings(env, (reader) => ({
    subscription: readPeer(reader, "subscription"),
    messagingStatus: readPeer(reader, "messaging-status"),
  }));
  return await withCalled(SubscriptionService, peers.subscription, (subscription) => {
    return withCalled(MessagingStatusService, peers.messagingStatus, (messagingStatus) => work(inMesh(subscription, messagingStatus)));
  });
}

async function inFolder(database: Database): Promise<ConsentPlace> {
  const [statuses, memberships] = [await readMessagingStatus(database, systemClock), await readMembershipLedger(database)];
  return {
    async history(workspaceId, { address, key }) {
      const chains = address === undefined ? [] : [await statuses.history(workspaceId, address)];
      const userIds = await findUserIds(database, workspaceId, key);
      for (const userId of userIds) chains.push(await memberships.history(workspaceId, userId));
      return { entries: chains.flat(), isUser: userIds.length > 0 };
    },
    ledgers: [folderLedger("subscription", memberships), folderLedger("messaging-status", statuses)],
    groups: (workspaceId) => memberships.groups(workspaceId),
    linkPath: async (workspaceId, of) => `/unsubscribe/${await statuses.links.make({ workspaceId, ...of })}`,
    rotateLinkKey: async () => String(await statuses.links.rotate()),
  };
}

/** As both services give it. */
type FolderLedger = Omit<Awaited<ReturnType<typeof readMembershipLedger>>, "groups" | "history">;

function folderLedger(
  ledger: LedgerPlace["ledger"],
  { verify, chains, behind, listSetAside, showSetAside, redriveSetAside, skipSetAside }: FolderLedger,
): LedgerPlace {
  return {
    ledger,
    verify,
    show: showSetAside,
    redrive: redriveSetAside,
    skip: skipSetAside,
    lag: async () => ({ lane: ledger, records: await behind() }),
    async setAside(after) {
      const kept = await listSetAside(limits.setAsidePageMax, after);
      const records = kept.map(({ reason, record: { workspaceId, sequence, part, key } }) => ({
        workspaceId,
        sequence,
        part,
        key,
        reason,
      }));
      return { records, more: kept.length === limits.setAsidePageMax };
    },
    async *entries(workspaceId) {
      for await (const chain of chains(workspaceId)) yield* chain;
    },
  };
}

function inMesh(subscription: Client<typeof SubscriptionService>, messagingStatus: Client<typeof MessagingStatusService>): ConsentPlace {
  return {
    async history(workspaceId, { address, key }) {
      const scope = { workspaceId };
      const own = await subscription.getHistory({ scope, users: [{ key: keyToMessage(key) }] });
      const ofAddress = address === undefined ? { entries: [] } : await messagingStatus.getHistory({ scope, addresses: [address] });
      return { entries: [...ofAddress.entries, ...own.entries].map(ledgerEntryFromMessage), isUser: own.chains > 0 };
    },
    ledgers: [meshLedger("subscription", subscription), meshLedger("messaging-status", messagingStatus)],
    groups: async (workspaceId) => (await subscription.listGroups({ scope: { workspaceId } })).groups,
    async linkPath(workspaceId, { email, groupId }) {
      return (await messagingStatus.createUnsubscribeLink({ scope: { workspaceId }, email, subscriptionGroupId: groupId })).path;
    },
    rotateLinkKey: async () => (await messagingStatus.rotateLinkKey({})).keyId,
  };
}

type LedgerCalls = "verifyLedger" | "exportLedger" | "getProgress" | "listSetAside" | "showSetAside" | "redriveSetAside" | "skipSetAside";

function meshLedger(
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
      return { records: records.map(({ sequence, ...record }) => ({ ...record, sequence: Number(sequence) })), more };
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

function keyToMessage(key: SubjectKey) {
  switch (key.by) {
    case "externalId":
      return { case: "externalId" as const, value: key.id };
    case "email":
      return { case: "email" as const, value: key.address };
    case "phone":
      return { case: "phone" as const, value: key.number };
  }
}
