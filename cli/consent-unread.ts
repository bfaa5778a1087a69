/** Lanes of consent for heddle log: how far they are, and records that wait for a human: shown, tried once more, and passed over. */
import type { SetAsidePlace } from "../platform/lane/hold-back.ts";
import type { ShownRecord } from "../platform/lane/shown-record.ts";
import { limits } from "../platform/limits.ts";
import type { FolderOptions } from "./access-place.ts";
import { type ConsentPlace, type LaneLag, type LedgerPlace, type UnreadRecord, withConsentPlace } from "./consent-place.ts";
import { dataFolder, isMesh, withAccess } from "./data-folder.ts";

interface UnreadConsent extends UnreadRecord {
  /** The service whose lane it is. */
  readonly lane: LedgerPlace["ledger"];
}

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
      const [{ unread, more }, lag] = [await unreadOf(place, all), await place.lag()];
      return { lag, more, unread: unread.map((record) => ({ lane: place.ledger, ...record })) };
    })));
  return {
    lags: (found ?? []).map(({ lag }) => lag),
    unread: (found ?? []).flatMap(({ unread }) => unread),
    more: (found ?? []).some(({ more }) => more),
  };
}

async function unreadOf(
  { setAside }: LedgerPlace,
  all: boolean,
): Promise<{ readonly unread: readonly UnreadRecord[]; readonly more: boolean }> {
  const unread: UnreadRecord[] = [];
  for (;;) {
    const { records, more } = await setAside(unread.at(-1));
    unread.push(...records);
    if (!all || !more) return { unread, more: more ?? records.length >= limits.setAsidePageMax };
  }
}

/** What the record at the place says. Undefined where the settings do not say where the services are. */
export async function showConsent(
  options: FolderOptions,
  lane: string,
  { workspaceId, sequence, part }: SetAsidePlace,
): Promise<ShownRecord | undefined> {
  return await inPlace(options, async ({ ledgers }) => {
    const place = ledgers.find(({ ledger }) => ledger === lane);
    if (place === undefined) throw new Error(`Expected the lanes of ${lane}, got none`);
    return await place.show({ workspaceId, sequence, part });
  });
}

/** Passes over the record at the place. False where the settings do not say where the services are. */
export async function skipConsent(
  options: FolderOptions,
  lane: string,
  { workspaceId, sequence, part }: SetAsidePlace,
): Promise<boolean> {
  const done = await inPlace(options, async ({ ledgers }) => {
    await ledgers.find(({ ledger }) => ledger === lane)?.skip({ workspaceId, sequence, part });
    return true;
  });
  return done ?? false;
}

/** How many are tried once more. */
export async function redriveConsent(options: FolderOptions): Promise<number> {
  const counts = await inPlace(options, ({ ledgers }) => Promise.all(ledgers.map(({ redrive }) => redrive())));
  return (counts ?? []).reduce((sum, count) => sum + count, 0);
}

/** Undefined in a mesh whose settings do not say where the services are. */
async function inPlace<T>({ dataDir }: FolderOptions, work: (place: ConsentPlace) => Promise<T>): Promise<T | undefined> {
  if (!isMesh({ dataDir }, "HEDDLE_PROFILE_URL")) {
    return await withAccess(dataFolder(dataDir), (_, database) => withConsentPlace({ database }, work));
  }
  if (!process.env["HEDDLE_SUBSCRIPTION_URL"] || !process.env["HEDDLE_MESSAGING_STATUS_URL"]) return undefined;
  return await withConsentPlace({ database: undefined }, work);
}
