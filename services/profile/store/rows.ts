/** A profile as one row: compact JSON, Maps as arrays of entries, money as decimal text. */
import type { AppSummary, DeviceSummary, EngagementSummary, Profile, Summary } from "../domain/profile.ts";

/** The row's text. Equal profiles with names in equal order give equal texts; `profileFromRow` gives the profile back exactly. */
export function profileToRow(profile: Profile): string {
  const row: Row = {
    v: version,
    id: profile.id,
    mark: profile.mark,
    created: profile.createdAt,
    updated: profile.updatedAt,
    externalId: profile.externalId,
    aliases: profile.aliases,
    email: profile.email,
    phone: profile.phone,
    fields: [...profile.fields],
    custom: [...profile.custom],
    events: Array.from(profile.events, summaryToRow),
    purchases: Array.from(profile.purchases, summaryToRow),
    revenue: Array.from(profile.revenue, ([currency, cents]) => [currency, cents.toString()]),
    purchaseCount: profile.purchaseCount,
    apps: [...profile.apps],
    devices: [...profile.devices],
    engagements: Array.from(profile.engagements, ([key, { name, latest }]) => [key, name, [...latest]]),
  };
  return JSON.stringify(row);
}

/** Throws on a text of another version, which only a newer Heddle can have written. */
export function profileFromRow(text: string): Profile {
  const row = JSON.parse(text) as Row;
  if (row.v !== version) throw new Error(`Expected a profile row of version ${version}, got "${String(row.v)}"`);
  return {
    id: row.id,
    mark: row.mark,
    createdAt: row.created,
    updatedAt: row.updated,
    externalId: row.externalId,
    aliases: row.aliases,
    email: row.email,
    phone: row.phone,
    fields: new Map(row.fields),
    custom: new Map(row.custom),
    events: summariesFromRow(row.events),
    purchases: summariesFromRow(row.purchases),
    revenue: new Map(row.revenue.map(([currency, cents]) => [currency, BigInt(cents)])),
    purchaseCount: row.purchaseCount,
    apps: new Map(row.apps),
    devices: new Map(row.devices),
    engagements: new Map(row.engagements.map(([key, name, latest]) => [key, { name, latest: new Map(latest) }])),
  };
}

/** Days lie flat, day and count in turn: half the brackets to write and to read. */
function summaryToRow([name, summary]: readonly [string, Summary]): SummaryRow {
  const days: number[] = [];
  for (const [day, count] of summary.days) days.push(day, count);
  return [name, summary.first, summary.last, summary.count, days];
}

function summariesFromRow(rows: readonly SummaryRow[]): Map<string, Summary> {
  const summaries = new Map<string, Summary>();
  for (const [name, first, last, count, flat] of rows) {
    const days = new Map<number, number>();
    for (let at = 0; at < flat.length; at += 2) days.set(flat[at] ?? 0, flat[at + 1] ?? 0);
    summaries.set(name, { first, last, count, days });
  }
  return summaries;
}

const version = 1;

type SummaryRow = [name: string, first: number, last: number, count: number, days: readonly number[]];

interface Row {
  readonly v: number;
  readonly id: Profile["id"];
  readonly mark: Profile["mark"];
  readonly created: number;
  readonly updated: number;
  readonly externalId: Profile["externalId"];
  readonly aliases: Profile["aliases"];
  readonly email: Profile["email"];
  readonly phone: Profile["phone"];
  readonly fields: Entries<Profile["fields"]>;
  readonly custom: Entries<Profile["custom"]>;
  readonly events: readonly SummaryRow[];
  readonly purchases: readonly SummaryRow[];
  readonly revenue: readonly [currency: string, cents: string][];
  readonly purchaseCount: number;
  readonly apps: readonly [string, AppSummary][];
  readonly devices: readonly [string, DeviceSummary][];
  readonly engagements: readonly [key: string, name: EngagementSummary["name"], latest: readonly [string, number][]][];
}

type Entries<Kept> = Kept extends Map<infer Key, infer Value> ? readonly [Key, Value][] : never;
