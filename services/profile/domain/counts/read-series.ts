/** Use case: what was counted of a workspace, as series by minute, hour or day. */
import { limits } from "../../../../platform/limits.ts";
import { catchUp, type ReadDeps, type ReadRequest } from "../read/catch-up.ts";
import {
  addCounts,
  type Count,
  countedKey,
  type CountedTimes,
  type CountName,
  type CountRow,
  type Counts,
  countsAt,
  dayOf,
  hourMs,
  hourOf,
  hoursKey,
  hoursPerDay,
  minuteMs,
  minutesKey,
  noCounts,
  otherEvents,
  plus,
  totalKey,
  totalOf,
  type UserTotal,
  withNewest,
} from "./count-rows.ts";
import { newestKey } from "../identity/row-keys.ts";

/** A day by minute, a week by hour, or a year by day. */
export type SeriesRange = "day" | "week" | "year";

export interface SeriesView {
  /** Unix milliseconds of the first point that there could be, and the end of the last. */
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** Points in order; where there is none it was 0. */
  readonly series: readonly Series[];
  /** Undefined: not counted yet. */
  readonly users: UserTotal | undefined;
  readonly behind: boolean;
}

interface Series {
  readonly name: CountName;
  readonly total: Count;
  readonly points: readonly (readonly [at: number, count: Count])[];
}

export async function readSeries(
  deps: ReadDeps,
  request: ReadRequest & { readonly range: SeriesRange; readonly now: number },
): Promise<SeriesView> {
  const { behind } = await catchUp(deps, request);
  const { workspaceId, range, now } = request;
  const stepMs = stepMsOf[range];
  const to = (Math.floor(now / stepMs) + 1) * stepMs;
  const from = to - stepsOf[range] * stepMs;
  const rows = await loadRows(deps, workspaceId, { from, byMinute: range === "day" });
  const byName = new Map<CountName, Map<number, Count>>();
  const totals = new Map<CountName, Count>();
  const named = mostNamed(rows.filter(({ at }) => at >= from));
  for (const { at, counts } of rows) {
    const place = Math.floor(at / stepMs) * stepMs;
    if (place < from) continue;
    for (const [counted, count] of counts) {
      const name = counted.startsWith(otherEvents) && !named.has(counted) ? otherEvents : counted;
      const points = byName.get(name) ?? new Map<number, Count>();
      points.set(place, plus(points.get(place) ?? 0, count));
      byName.set(name, points);
      totals.set(name, plus(totals.get(name) ?? 0, count));
    }
  }
  const series = Array.from(byName, ([name, points]) => {
    return { name, total: totals.get(name) ?? 0, points: [...points].sort(([a], [b]) => a - b) };
  });
  const users = (await deps.identities.load(workspaceId, [totalKey])).get(totalKey) as UserTotal | undefined;
  return { from, to, stepMs, series, users, behind };
}

interface Slot {
  /** Unix milliseconds. */
  readonly at: number;
  readonly counts: Counts;
}

const dayMs = hoursPerDay * hourMs;

const stepMsOf: Readonly<Record<SeriesRange, number>> = { day: minuteMs, week: hourMs, year: dayMs };
const stepsOf: Readonly<Record<SeriesRange, number>> = { day: 1_440, week: 168, year: 366 };

async function loadRows(
  { identities }: ReadDeps,
  workspaceId: string,
  { from, byMinute }: { from: number; byMinute: boolean },
): Promise<Slot[]> {
  // The newest minute first, and then its hour, which may take it in meanwhile
  const newestRows = await identities.load(workspaceId, [countedKey, newestKey]);
  const times = newestRows.get(countedKey) as CountedTimes | undefined;
  if (times === undefined) return [];
  const newestMinute = newestRows.get(newestKey) as CountRow | undefined ?? noCounts;
  const hours = times.hours.filter((hour) => (hour + 1) * hourMs > from);
  // An hour may be on its way into its day while this reads
  const read = byMinute ? hours : hours.slice(-2);
  const days = byMinute ? [] : times.days.filter((day) => (day + 1) * dayMs > from);
  // The newest hour may have begun a day that no row is known of yet
  const known = new Set([...days, ...(byMinute ? [] : read.map(dayOf))]);
  const keys = [...read.map(minutesKey), ...[...known].map(hoursKey)];
  const rows = await identities.load(workspaceId, keys);
  const minutes = new Map(read.map((hour) => {
    const row = rows.get(minutesKey(hour)) as CountRow | undefined ?? noCounts;
    return [hour, hour === hourOf(newestMinute) ? withNewest(row, newestMinute) : row];
  }));
  if (byMinute) return [...minutes].flatMap(([hour, row]) => slotsOf(row, { start: hour * hourMs, stepMs: minuteMs }));
  const newest = read.at(-1);
  return [...known].flatMap((day) => {
    let row = rows.get(hoursKey(day)) as CountRow | undefined ?? noCounts;
    for (const [hour, own] of minutes) {
      const slot = hour % hoursPerDay;
      if (dayOf(hour) !== day) continue;
      const isSummed = row.slots.some(([at]) => at === slot);
      // A row that went away while this reads was summed before
      if (isSummed && (hour !== newest || !rows.has(minutesKey(hour)))) continue;
      row = addCounts({ ...row, slots: row.slots.filter(([at]) => at !== slot) }, slot, totalOf(own));
    }
    return slotsOf(row, { start: day * dayMs, stepMs: hourMs });
  });
}

function slotsOf(row: CountRow, { start, stepMs }: { readonly start: number; readonly stepMs: number }): Slot[] {
  return row.slots.map(([slot, counts]) => ({ at: start + slot * stepMs, counts: countsAt(row, counts) }));
}

/** Of events those that there were most of; each row names others. */
function mostNamed(slots: readonly Slot[]): Set<CountName> {
  const sums = new Map<CountName, number>();
  for (const { counts } of slots) {
    for (const [name, count] of counts) {
      if (name !== otherEvents && name.startsWith(otherEvents)) sums.set(name, (sums.get(name) ?? 0) + Number(count));
    }
  }
  const names = [...sums].sort(([, a], [, b]) => b - a).slice(0, limits.countedEventNamesMax);
  return new Set(names.map(([name]) => name));
}
