/** A page of a list of addresses as messages ask for it. */
import { numbersOf } from "../../../platform/enum-names.ts";
import { limits } from "../../../platform/limits.ts";
import { PhoneMark } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { Scope } from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { AddressFilter } from "../../../proto/gen/heddle/messaging_status/v1/messaging_status_service_pb.ts";
import { emailToRead, phoneToRead } from "../../../platform/intake/addresses.ts";
import { listAddresses } from "../domain/list-addresses.ts";
import type { ListName } from "../domain/address-state.ts";
import { type DepsBeside, isLate } from "./request.ts";

/** Waits as every read does. Without a filter: the newest of all time. */
export async function listPage(
  deps: DepsBeside,
  of: { readonly scope: Scope; readonly list: ListName; readonly signal: AbortSignal },
  filter: AddressFilter | undefined,
) {
  const addressed = addressesOf(filter, of.list);
  const about = addressed.length === 0 ? "all" : addressed;
  const late = await isLate(deps, of.scope, about);
  of.signal.throwIfAborted();
  const listing = listAddresses(deps.store, { workspaceId: of.scope.workspaceId, list: of.list }, {
    addresses: addressed,
    from: timeOf(filter?.from ?? 0n),
    to: timeOf(filter?.to || latest),
    limit: Math.min(filter?.limit || limits.addressesPageDefault, limits.addressesPageMax),
    offset: Math.min(filter?.offset ?? 0, offsetMax),
    ascending: filter?.ascending ?? false,
    signal: of.signal,
  });
  const [page, blocked] = await Promise.all([listing, deps.isBlocked(of.scope.workspaceId, about)]);
  const addresses = page.map(({ address, at, reason }) => ({
    address,
    at: BigInt(at),
    ...(reason !== undefined && { reason: reasonNumbers[reason] }),
  }));
  return { addresses, behind: late || blocked };
}

/** The nearest one that a number holds exactly: it is beyond every date. */
function timeOf(ms: bigint): number {
  if (ms > latest) return Number(latest);
  return Number(ms < -latest ? -latest : ms);
}

const latest = BigInt(Number.MAX_SAFE_INTEGER);
/** Stores count the rows of a page in 31 bits. */
const offsetMax = 2 ** 31 - 1 - limits.addressesPageMax;

function addressesOf(filter: AddressFilter | undefined, list: ListName): readonly string[] {
  return (filter?.addresses ?? []).map(list === "invalid" ? phoneToRead : emailToRead);
}

const reasonNumbers = numbersOf(PhoneMark);
