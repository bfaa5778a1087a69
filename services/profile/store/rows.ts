/** A profile as one row: compact JSON, Maps as arrays of entries, money as decimal text. */
import type { AppSummary, DeviceSummary, Dropped, EngagementSummary, MergeNote, Profile, Summary } from "../domain/profile/profile.ts";
import { entriesFrom, noEntries, noItems } from "../../../platform/own-entries.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import type { NameField } from "../domain/profile/sources.ts";

/** The row's text. Equal profiles with names in equal order give equal texts; `profileFromRow` gives the profile back exactly. */
export function profileToRow(profile: Profile): string {
  const row: Row = {
    v: version,
    id: profile.id,
    mark: profile.mark,
    created: profile.createdAt,
    updated: profile.updatedAt,
    externalId: profile.externalId ?? undefined,
    aliases: profile.aliases.length === 0 ? undefined : profile.aliases,
    email: profile.email ?? undefined,
    phone: profile.phone ?? undefined,
    fields: entriesOf(profile.fields),
    custom: entriesOf(profile.custom),
    events: rowsOf(profile.events, summaryToRow),
    purchases: rowsOf(profile.purchases, summaryToRow),
    revenue: rowsOf(profile.revenue, ([currency, cents]) => [currency, cents.toString()]),
    purchaseCount: profile.purchaseCount === 0 ? undefined : profile.purchaseCount,
    apps: entriesOf(profile.apps),
    devices: entriesOf(profile.devices),
    engagements: rowsOf(profile.engagements, ([key, { name, latest }]) => [key, name, [...latest]]),
    from: sourcesToRow(profile),
    merges: profile.merges.length === 0 ? undefined : profile.merges,
    undone: profile.undone,
    dropped: profile.dropped,
    rejected: profile.rejected,
    admitted: profile.admitted,
  };
  return JSON.stringify(row);
}

/** What is empty is left out of the row: nearly every profile has something empty, and short rows cost less everywhere. */
function entriesOf<Key, Value>(map: ReadonlyMap<Key, Value>): [Key, Value][] | undefined {
  return map.size === 0 ? undefined : [...map];
}

function rowsOf<Key, Value, Entry>(
  map: ReadonlyMap<Key, Value>,
  toRow: (entry: readonly [Key, Value]) => Entry,
): Entry[] | undefined {
  return map.size === 0 ? undefined : Array.from(map, toRow);
}

/** Throws UnknownVersion on a text of another version, which only a newer Heddle can have written: its user waits, and is not blocked. */
export function profileFromRow(text: string): Profile {
  const row = JSON.parse(text) as Row;
  if (row.v !== version) {
    throw new UnknownVersion(
      `Expected a profile row of version ${version}, got "${Number(row.v)}": run the build that wrote it, or a newer one`,
    );
  }
  const fields = entriesFrom(row.fields);
  const custom = entriesFrom(row.custom);
  return {
    id: row.id,
    mark: row.mark,
    createdAt: row.created,
    updatedAt: row.updated,
    externalId: row.externalId ?? null,
    aliases: row.aliases ?? noItems,
    email: row.email ?? null,
    phone: row.phone ?? null,
    fields,
    custom,
    events: summariesFromRow(row.events),
    purchases: summariesFromRow(row.purchases),
    revenue: entriesFrom(row.revenue?.map(([currency, cents]) => [currency, BigInt(cents)] as const)),
    purchaseCount: row.purchaseCount ?? 0,
    apps: entriesFrom(row.apps),
    devices: entriesFrom(row.devices),
    engagements: entriesFrom(row.engagements?.map(([key, name, latest]) => [key, { name, latest: new Map(latest) }] as const)),
    sources: {
      names: sourcesFromRow(row, nameFieldsInOrder, row.from?.[0]),
      fields: sourcesFromRow(row, fields.keys(), row.from?.[1]),
      custom: sourcesFromRow(row, custom.keys(), row.from?.[2]),
    },
    merges: row.merges ?? noItems,
    ...rareOf(row),
  };
}

/** What few profiles have. */
function rareOf({ undone, dropped, rejected, admitted }: Row): Pick<Profile, "undone" | "dropped" | "rejected" | "admitted"> {
  return { ...(undone && { undone }), ...(dropped && { dropped }), ...(rejected && { rejected }), ...(admitted && { admitted }) };
}

/**
 * Sequences in the order of the fields, each as its distance from the mark: a digit or two where the profile is changed
 * often, and no name is written twice. null: unknown.
 */
function sourcesToRow({ mark, fields, custom, sources }: Profile): SourcesRow | undefined {
  if (sources.names.size + sources.fields.size + sources.custom.size === 0) return undefined;
  return [
    distances(mark[0], nameFieldsInOrder, sources.names),
    distances(mark[0], fields.keys(), sources.fields),
    distances(mark[0], custom.keys(), sources.custom),
  ];
}

/** A plain loop: this runs for every row that is written. */
function distances<Key>(from: number, keys: Iterable<Key>, sources: ReadonlyMap<Key, number>): (number | null)[] {
  const row: (number | null)[] = [];
  if (sources.size === 0) return row;
  for (const key of keys) {
    const sequence = sources.get(key);
    row.push(sequence === undefined ? null : from - sequence);
  }
  return row;
}

function sourcesFromRow<Key>({ mark }: Row, keys: Iterable<Key>, kept: readonly (number | null)[] | undefined): ReadonlyMap<Key, number> {
  if (kept === undefined || kept.length === 0) return noEntries();
  const sources = new Map<Key, number>();
  let at = 0;
  for (const key of keys) {
    const distance = kept[at];
    at += 1;
    if (distance !== undefined && distance !== null) sources.set(key, mark[0] - distance);
  }
  return sources;
}

/** Of the names in a row; their order is part of its form. */
const nameFieldsInOrder: readonly NameField[] = ["external_id", "user_aliases", "email", "phone"];

/** Days lie flat, day and count in turn: half the brackets to write and to read. */
function summaryToRow([name, summary]: readonly [string, Summary]): SummaryRow {
  const days: number[] = [];
  for (const [day, count] of summary.days) days.push(day, count);
  return [name, summary.first, summary.last, summary.count, days];
}

function summariesFromRow(rows: readonly SummaryRow[] = []): ReadonlyMap<string, Summary> {
  if (rows.length === 0) return noEntries();
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

type SourcesRow = readonly [names: readonly (number | null)[], fields: readonly (number | null)[], custom: readonly (number | null)[]];

/** undefined: empty. */
interface Row {
  readonly v: number;
  readonly id: Profile["id"];
  readonly mark: Profile["mark"];
  readonly created: number;
  readonly updated: number;
  readonly externalId: string | undefined;
  readonly aliases: Profile["aliases"] | undefined;
  readonly email: string | undefined;
  readonly phone: string | undefined;
  readonly fields: Entries<Profile["fields"]>;
  readonly custom: Entries<Profile["custom"]>;
  readonly events: readonly SummaryRow[] | undefined;
  readonly purchases: readonly SummaryRow[] | undefined;
  readonly revenue: readonly [currency: string, cents: string][] | undefined;
  readonly purchaseCount: number | undefined;
  readonly apps: readonly [string, AppSummary][] | undefined;
  readonly devices: readonly [string, DeviceSummary][] | undefined;
  readonly engagements: readonly [key: string, name: EngagementSummary["name"], latest: readonly [string, number][]][] | undefined;
  /** Absent in rows from before provenance was kept. */
  readonly from: SourcesRow | undefined;
  readonly merges: readonly MergeNote[] | undefined;
  readonly undone: Profile["undone"];
  readonly dropped: Dropped | undefined;
  readonly rejected: Profile["rejected"];
  readonly admitted: Profile["admitted"];
}

type Entries<Kept> = Kept extends ReadonlyMap<infer Key, infer Value> ? readonly [Key, Value][] | undefined : never;
