/** Addresses that are on a list, by the time at which they came on it: a partition a year. */
import type { Session, Statement } from "../../../platform/cassandra/session.ts";
import { stampOf } from "../../consent/store/stamp.ts";
import { type AddressState, type ListName, timeOn } from "../domain/address-state.ts";
import type { ListFilter } from "../domain/ports.ts";
import { deleteListed, putListed, putYear, selectNewest, selectOldest, selectYears } from "./statements.ts";
import type { StepRows } from "./tables.ts";

/**
 * What has to be written to the lists before the rows themselves. Also places that the step only passed through are
 * cleared: an applier that wrote a part of it before and died may have listed the address there.
 */
export function listedWrites({ workspaceId, states, passed }: StepRows["workspaces"][number]): Statement[][] {
  return [...states.values()].flatMap((state) => {
    const earlier = passed?.get(state.address) ?? [];
    return lists.flatMap((list) => changesOf(workspaceId, list, { state, earlier }));
  });
}

const lists: readonly ListName[] = ["unsubscribed", "rejected", "invalid"];

function changesOf(
  workspaceId: string,
  list: ListName,
  { state, earlier }: { readonly state: AddressState; readonly earlier: readonly AddressState[] },
): Statement[][] {
  const at = timeOn(state, list);
  const left = new Set(earlier.map((one) => timeOn(one, list)).filter((was) => was !== null && was !== at));
  const stamp = stampOf(state);
  function keyOf(time: number) {
    return { workspace_id: workspaceId, list, year: yearOf(time), at: BigInt(time), address: state.address, stamp };
  }
  const writes: Statement[][] = [];
  for (const was of left) writes.push([{ cql: deleteListed, values: keyOf(was ?? 0) }]);
  if (at !== null) {
    writes.push([{ cql: putYear, values: { workspace_id: workspaceId, list, year: yearOf(at), stamp } }]);
    writes.push([{ cql: putListed, values: { ...keyOf(at), body: JSON.stringify(state) } }]);
  }
  return writes;
}

export async function readList(
  session: Session,
  { workspaceId, list }: { readonly workspaceId: string; readonly list: ListName },
  { from, to, limit, offset, ascending, signal }: ListFilter,
): Promise<AddressState[]> {
  const rows = await session.execute({ cql: selectYears, values: { workspace_id: workspaceId, list } });
  const years = rows.map((row) => Number(row["year"])).filter((year) => year >= yearOf(from) && year <= yearOf(to));
  const found: AddressState[] = [];
  for (const year of ascending ? years : years.toReversed()) {
    if (found.length >= offset + limit) break;
    signal?.throwIfAborted();
    const bounds = { low: BigInt(Math.trunc(from)), high: BigInt(Math.trunc(to)), max: offset + limit - found.length };
    const values = { workspace_id: workspaceId, list, year, ...bounds };
    const page = await session.execute({ cql: ascending ? selectOldest : selectNewest, values });
    found.push(...page.map((row) => JSON.parse(String(row["body"])) as AddressState));
  }
  return found.slice(offset, offset + limit);
}

/** A time far beyond every year is the last of them. */
function yearOf(time: number): number {
  return new Date(Math.max(0, Math.min(time, lastTime))).getUTCFullYear();
}

const lastTime = 8.64e15;
