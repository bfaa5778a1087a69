/** Lane records of consent that nobody could read, for heddle log: shown, and tried once more. */
import { withAccessPlace } from "./access-place.ts";
import { type ConsentPlace, type LedgerPlace, type UnreadRecord, withConsentPlace } from "./consent-place.ts";

export interface UnreadConsent extends UnreadRecord {
  /** The service whose lane it is. */
  readonly lane: LedgerPlace["ledger"];
}

export async function unreadConsent(options: { readonly dataDir?: string }): Promise<UnreadConsent[]> {
  const found = await inPlace(
    options,
    ({ ledgers }) =>
      Promise.all(ledgers.map(async ({ ledger, setAside }) => (await setAside()).map((record) => ({ lane: ledger, ...record })))),
  );
  return (found ?? []).flat();
}

/** How many were put back into their lanes. */
export async function redriveConsent(options: { readonly dataDir?: string }): Promise<number> {
  const counts = await inPlace(options, ({ ledgers }) => Promise.all(ledgers.map(({ redrive }) => redrive())));
  return (counts ?? []).reduce((sum, count) => sum + count, 0);
}

/** Undefined in a mesh whose settings do not say where the services are. */
async function inPlace<T>({ dataDir }: { readonly dataDir?: string }, work: (place: ConsentPlace) => Promise<T>): Promise<T | undefined> {
  const { env } = process;
  if (dataDir === undefined && env["HEDDLE_PROFILE_URL"]) {
    if (!env["HEDDLE_SUBSCRIPTION_URL"] || !env["HEDDLE_MESSAGING_STATUS_URL"]) return undefined;
    return await withConsentPlace({ database: undefined }, work);
  }
  const folder = dataDir === undefined ? {} : { dataDir };
  return await withAccessPlace(folder, { create: false }, (_, database) => withConsentPlace({ database }, work));
}
