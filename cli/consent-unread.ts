/** Lane records of consent that wait for a human, for heddle log: shown, tried once more, and passed over. */
import type { SetAsidePlace } from "../platform/lane/hold-back.ts";
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

/** Passes over the record at the place. False where the settings do not say where the services are. */
export async function skipConsent(options: { readonly dataDir?: string }, lane: string, at: SetAsidePlace): Promise<boolean> {
  const done = await inPlace(options, async ({ ledgers }) => {
    await ledgers.find(({ ledger }) => ledger === lane)?.skip(at);
    return true;
  });
  return done ?? false;
}

/** How many are tried once more. */
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
