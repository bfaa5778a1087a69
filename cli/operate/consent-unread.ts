/** Lanes of consent for heddle log: how far they are, and records that wait for a human: shown, tried once more, and passed over. */
import { shownFrom, type ShownRecord } from "../../platform/lane/shown-record.ts";
import { limits } from "../../platform/limits.ts";
import type { SetAsideRecord } from "../../proto/gen/heddle/consent/v1/ledger_pb.ts";
import type { FolderOptions } from "../place/access-place.ts";
import { type ConsentPlace, type LedgerPlace, withConsentPlace } from "../place/consent-place.ts";
import { dataFolder, isMesh, withAccess } from "../place/data-folder.ts";

interface LaneLag {
  readonly lane: string;
  readonly records: number;
  /** 0 where no process was asked that looks regularly. */
  readonly seconds: number;
}

interface UnreadConsent {
  /** The service whose lane it is. */
  readonly lane: LedgerPlace["ledger"];
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly sequence: number;
  readonly part: number;
  /** The user or address; empty where the record does not say it. */
  readonly key: string;
  readonly reason: string;
}

type LanePlace = Pick<SetAsideRecord, "workspaceId" | "sequence" | "part">;

interface ConsentLanes {
  readonly lags: readonly LaneLag[];
  readonly unread: readonly UnreadConsent[];
  /** Whether there may be others of a service. */
  readonly more: boolean;
}

/** All empty in a mesh whose settings do not say where the services are. `all`: not the first ones alone. */
export async function consentLanes({ all = false, ...options }: FolderOptions & { readonly all?: boolean }): Promise<ConsentLanes> {
  const found = await inPlace(options, ({ ledgers }) =>
    Promise.all(ledgers.map(async (place) => {
      const unread = await unreadOf(place, all);
      const { lanes: [lag] } = await place.client.getProgress({});
      return { ...unread, lag: { lane: place.ledger, records: Number(lag?.records ?? 0), seconds: lag?.seconds ?? 0 } };
    })));
  return {
    lags: (found ?? []).map(({ lag }) => lag),
    unread: (found ?? []).flatMap(({ unread }) => unread),
    more: (found ?? []).some(({ more }) => more),
  };
}

async function unreadOf({ ledger: lane, client }: LedgerPlace, all: boolean): Promise<Omit<ConsentLanes, "lags">> {
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
export async function showConsent(options: FolderOptions, lane: LedgerPlace["ledger"], at: LanePlace): Promise<ShownRecord | undefined> {
  return await inPlace(options, async (place) => shownFrom((await clientOf(place, lane).showSetAside(at)).record));
}

/** Passes over the record at the place. False where the settings do not say where the services are. */
export async function skipConsent(options: FolderOptions, lane: LedgerPlace["ledger"], at: LanePlace): Promise<boolean> {
  return await inPlace(options, async (place) => await clientOf(place, lane).skipSetAside(at)) !== undefined;
}

function clientOf({ subscription, messagingStatus }: ConsentPlace, lane: LedgerPlace["ledger"]): LedgerPlace["client"] {
  return lane === "subscription" ? subscription : messagingStatus;
}

/** How many are tried once more. */
export async function redriveConsent(options: FolderOptions): Promise<number> {
  const answers = await inPlace(options, ({ ledgers }) => Promise.all(ledgers.map(({ client }) => client.redriveSetAside({}))));
  return (answers ?? []).reduce((sum, { records }) => sum + records, 0);
}

/** Undefined in a mesh whose settings do not say where the services are. */
async function inPlace<T>({ dataDir }: FolderOptions, work: (place: ConsentPlace) => Promise<T>): Promise<T | undefined> {
  if (!isMesh({ dataDir }, "HEDDLE_PROFILE_URL")) {
    return await withAccess(dataFolder(dataDir), (_, database) => withConsentPlace({ database }, work));
  }
  if (!process.env["HEDDLE_SUBSCRIPTION_URL"] || !process.env["HEDDLE_MESSAGING_STATUS_URL"]) return undefined;
  return await withConsentPlace({ database: undefined }, work);
}
