/** Use case: addresses of a list with their dates (GET /email/unsubscribes, /email/hard_bounces, /sms/invalid_phone_numbers). */
import { type AddressState, type InvalidReason, type ListName, timeOn } from "./address-state.ts";
import type { AddressStore, ListFilter } from "./ports.ts";

export interface DatedAddress {
  readonly address: string;
  /** Unix milliseconds. */
  readonly at: number;
  readonly reason: InvalidReason | undefined;
}

/** With `addresses` only these, whatever their time; an address that is not on the list is left out. */
export async function listAddresses(
  store: AddressStore,
  of: { readonly workspaceId: string; readonly list: ListName },
  filter: ListFilter & { readonly addresses: readonly string[] },
): Promise<DatedAddress[]> {
  const { workspaceId, list } = of;
  if (filter.addresses.length === 0) return (await store.list(workspaceId, list, filter)).flatMap((state) => dated(state, list));
  const known = await store.load(workspaceId, filter.addresses);
  const found = [...known.values()].flatMap((state) => dated(state, list)).toSorted((a, b) => order(a, b, filter.ascending));
  return found.slice(filter.offset, filter.offset + filter.limit);
}

function order(a: DatedAddress, b: DatedAddress, ascending: boolean): number {
  const later = a.at - b.at || (a.address < b.address ? -1 : 1);
  return ascending ? later : -later;
}

function dated(state: AddressState, list: ListName): DatedAddress[] {
  const at = timeOn(state, list);
  return at === null ? [] : [{ address: state.address, at, reason: state.invalid?.reason }];
}
