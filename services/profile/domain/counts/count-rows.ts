/** Counts for charts as rows: names once, and under them the numbers of each minute of an hour, or of each hour of a day. */
import { limits } from "../../../../platform/limits.ts";
import type { IdentityKey } from "../identity/identity.ts";

/** A value of JSON, never changed in place. */
export interface CountRow {
  readonly names: readonly CountName[];
  /** The minute or the hour, and the number of each name by its place; those at the end that are 0 are left out. */
  readonly slots: readonly (readonly [slot: number, counts: readonly Count[]])[];
}

/**
 * What is counted, and of what kind where there are several: `objects`, `users:new`, `events:<name>`, `purchases`,
 * `revenue:<currency>` in hundredths, `consent:<what was set>`. `events:` has the events beyond those that a row names.
 */
export type CountName = `${Metric}:${string}`;
type Metric = "objects" | "users" | "events" | "purchases" | "revenue" | "consent";

/** Text where a number would not be exact. */
export type Count = number | string;

export type Counts = ReadonlyMap<CountName, Count>;

/** Hours and days since 1970 UTC for which there are rows, the last one newest; the newest hour stands in no day yet. */
export interface CountedTimes {
  readonly hours: readonly number[];
  readonly days: readonly number[];
}

/** How many users there are. */
export interface UserTotal {
  readonly count: number;
  /** Unix milliseconds: those who were there before are not in it. */
  readonly since: number;
}

export const minuteMs = 60_000;
export const minutesPerHour = 60;
export const hourMs = minutesPerHour * minuteMs;
export const hoursPerDay = 24;

export const countedKey: IdentityKey = "n:counted";

export const totalKey: IdentityKey = "n:total";

/** The minutes of an hour. */
export function minutesKey(hour: number): IdentityKey {
  return `n:m:${hour}`;
}

/** The hours of a day. */
export function hoursKey(day: number): IdentityKey {
  return `n:d:${day}`;
}

export function dayOf(hour: number): number {
  return Math.floor(hour / hoursPerDay);
}

export const noCounts: CountRow = { names: [], slots: [] };

/** The counts on top of those that the slot has. */
export function addCounts(row: CountRow, slot: number, added: Counts): CountRow {
  const names = [...row.names];
  const counts = [...row.slots.find(([at]) => at === slot)?.[1] ?? []];
  for (const [name, count] of added) {
    const place = placeOf(names, name);
    while (counts.length <= place) counts.push(0);
    counts[place] = plus(counts[place] ?? 0, count);
  }
  const others = row.slots.filter(([at]) => at !== slot);
  return { names, slots: [...others, [slot, counts]] };
}

/** The slot of the newest minute; undefined before anything was counted. */
export function minuteOf(newest: CountRow): number | undefined {
  return newest.slots[0]?.[0];
}

export function hourOf(newest: CountRow): number | undefined {
  const minute = minuteOf(newest);
  return minute === undefined ? undefined : Math.floor(minute / minutesPerHour);
}

/** The hour with the newest minute, which is one of its own. */
export function addNewest(row: CountRow, newest: CountRow): CountRow {
  const minute = minuteOf(newest);
  return minute === undefined ? row : addCounts(row, minute % minutesPerHour, totalOf(newest));
}

/** As `addNewest`, unless that was done: between two reads of rows the hour may have taken it in. */
export function withNewest(row: CountRow, newest: CountRow): CountRow {
  const slot = (minuteOf(newest) ?? 0) % minutesPerHour;
  return row.slots.some(([at]) => at === slot) ? row : addNewest(row, newest);
}

/** Where the name stands; a name of an event for which there is no room any more is among the others. */
function placeOf(names: CountName[], name: CountName): number {
  const known = names.indexOf(name);
  if (known >= 0) return known;
  if (name !== otherEvents && name.startsWith(otherEvents) && isFull(names)) return placeOf(names, otherEvents);
  return names.push(name) - 1;
}

export const otherEvents: CountName = "events:";

function isFull(names: readonly CountName[]): boolean {
  return names.filter((name) => name !== otherEvents && name.startsWith(otherEvents)).length >= limits.countedEventNamesMax;
}

/** What one slot has. */
export function countsAt({ names }: CountRow, counts: readonly Count[]): Map<CountName, Count> {
  const found = new Map<CountName, Count>();
  for (const [at, count] of counts.entries()) {
    const name = names[at];
    if (name !== undefined && count !== 0) found.set(name, count);
  }
  return found;
}

/** All slots together. */
export function totalOf(row: CountRow): Counts {
  const sum = new Map<CountName, Count>();
  for (const [, counts] of row.slots) for (const [name, count] of countsAt(row, counts)) sum.set(name, plus(sum.get(name) ?? 0, count));
  return sum;
}

/** By how many users there are more. */
export function usersMore(counts: Counts): number {
  const [made, deleted, merged, unmerged] = usersOf.map((name) => Number(counts.get(name) ?? 0)) as [number, number, number, number];
  return made - deleted - merged + unmerged;
}

const usersOf: readonly CountName[] = ["users:new", "users:deleted", "users:merged", "users:unmerged"];

export function plus(a: Count, b: Count): Count {
  const sum = Number(a) + Number(b);
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(sum)) return sum;
  return (BigInt(a) + BigInt(b)).toString();
}
