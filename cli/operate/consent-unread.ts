/** Lanes of consent for heddle log: how far they are, and records that wait for a human: shown, tried once more, and passed over. */
import { shownFrom, type ShownRecord } from "../../platform/lane/shown-record.ts";
import { limits } from "../../platform/limits.ts";
import type { SetAsideRecord } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import type { FolderOptions } from "../target/access-target.ts";
import { type ConsentTarget, type LedgerTarget, withConsentTarget } from "../target/consent-target.ts";
import { dataFolder, isMesh, withAccess } from "../target/data-folder.ts";

interface LaneLag {
  readonly lane: string;
  readonly records: number;
  /** 0 where no process was asked that looks regularly. */
  readonly seconds: number;
}

interface UnreadConsent {
  /** The service whose lane it is. */
  readonly lane: LedgerTarget["ledger"];
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly sequence: number;
  readonly part: number;
  /** The user or address; empty where the record does not say it. */
  readonly key: string;
  readonly reason: string;
}

type LaneRecordId = Pick<SetAsideRecord, "workspaceId" | "sequence" | "part">;

interface ConsentLanes {
  readonly lags: readonly LaneLag[];
  readonly unread: readonly UnreadConsent[];
  /** Whether there may be others of a service. */
  readonly more: boolean;
}

/** All empty in a mesh whose settings do not say where the services are. `all`: not the first ones alone. */
export async function consentLanes({ all = false, ...options }: FolderOptions & { readonly all?: boolean }): Promise<ConsentLanes> {
  const found = await withTarget(options, ({ ledgers }) =>
    Promise.all(ledgers.map(async (target) => {
      const unread = await unreadOf(target, all);
      const { lanes: [lag] } = await target.client.getProgress({});
      return { ...unread, lag: { lane: target.ledger, records: Number(lag?.records ?? 0), seconds: lag?.seconds ?? 0 } };
    })));
  return {
    lags: (found ?? []).map(({ lag }) => lag),
    unread: (found ?? []).flatMap(({ unread }) => unread),
    more: (found ?? []).some(({ more }) => more),
  };
}

async function unreadOf({ ledger: lane, client }: LedgerTarget, all: boolean): Promise<Omit<ConsentLanes, "lags">> {
  const unread: UnreadConsent[] = [];
  for (;;) {
    const last = unread.at(-1);
    const after = last && { workspaceId: last.workspaceId, sequence: BigInt(last.sequence), part: last.part };
    const { records, more } = await client.listSetAside(after === undefined ? {} : { after });
    unread.push(...records.map(({ workspaceId, sequence, part, key, reason }) => {
      return { lane, workspaceId, sequence: Number(sequence), part, key, reason };
    }));
    // A part of the build before does not say it, and goes on behind none
    if (!all || !more) return { unread, more: more ?? records.length >= limits.setAsidePageMax };
  }
}

/** What the record at the place says. Undefined where the settings do not say where the services are. */
export async function showConsent(
  options: FolderOptions,
  lane: LedgerTarget["ledger"],
  at: LaneRecordId,
): Promise<ShownRecord | undefined> {
  return await withTarget(options, async (target) => shownFrom((await clientOf(target, lane).showSetAside(at)).record));
}

/** Passes over the record at the place. False where the settings do not say where the services are. */
export async function skipConsent(options: FolderOptions, lane: LedgerTarget["ledger"], at: LaneRecordId): Promise<boolean> {
  return await withTarget(options, async (target) => await clientOf(target, lane).skipSetAside(at)) !== undefined;
}

function clientOf({ subscription, messagingStatus }: ConsentTarget, lane: LedgerTarget["ledger"]): LedgerTarget["client"] {
  return lane === "subscription" ? subscription : messagingStatus;
}

/** How many are tried once more. */
export async function redriveConsent(options: FolderOptions): Promise<number> {
  const answers = await withTarget(options, ({ ledgers }) => Promise.all(ledgers.map(({ client }) => client.redriveSetAside({}))));
  return (answers ?? []).reduce((sum, { records }) => sum + records, 0);
}

/** Undefined in a mesh whose settings do not say where the services are. */
async function withTarget<T>({ dataDir }: FolderOptions, work: (target: ConsentTarget) => Promise<T>): Promise<T | undefined> {
  if (!isMesh({ dataDir }, "HEDDLE_PROFILE_URL")) {
    return await withAccess(dataFolder(dataDir), (_, database) => withConsentTarget({ database }, work));
  }
  if (!process.env["HEDDLE_SUBSCRIPTION_URL"] || !process.env["HEDDLE_MESSAGING_STATUS_URL"]) return undefined;
  return await withConsentTarget({ database: undefined }, work);
}
