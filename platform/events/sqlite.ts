/** Events in the embedded store: a table, which a service may fill in the transaction of the change that caused them. */
import { Buffer } from "node:buffer";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Database } from "../sqlite/database.ts";
import { rowBounds } from "../log/packed-records.ts";
import { slicesBySize } from "../slices-by-size.ts";
import { migrate } from "../sqlite/migrate.ts";
import { checkEvent, type Events, type KeptEvent, type PublishedEvent } from "./events.ts";

export interface SqliteEvents extends Events {
  /**
   * Runs inside a transaction of the database: the events are kept if and only if what is written with them is. None may be kept already; of those that
   * have the same id the first is kept.
   */
  append(events: readonly PublishedEvent[]): void;
}

/** The newest `eventsKeptMax` are kept. */
export async function openSqliteEvents({ database, clock }: { readonly database: Database; readonly clock: Clock }): Promise<SqliteEvents> {
  await migrate(database, "events", schema);
  function append(events: readonly PublishedEvent[]): void {
    for (const event of events) checkEvent(event);
    const insert = database.prepare(put);
    let last = Number(database.prepare(selectLastGiven).get()?.["seq"] ?? 0);
    for (const some of slicesBySize(onceEach(events), ({ body }) => body.byteLength, rowBounds)) {
      last += some.length;
      insert.run(last, some.length, headsOf(some), Buffer.concat(some.map(({ body }) => body)), clock.now());
    }
    if (last % trimEvery < events.length) database.prepare(trim).run(limits.eventsKeptMax);
  }
  function isStored({ eventId }: PublishedEvent): boolean {
    return database.prepare(selectById).get(`,${JSON.stringify(eventId)},`, eventId) !== undefined;
  }
  return {
    append,
    async publish(events) {
      for (const event of events) checkEvent(event);
      if (events.length > 0) await database.write(() => append(events.filter((event) => !isStored(event))));
    },
    async read(after, { max, subject }) {
      const found = eventsAfter(database, after)
        .filter((event) => subject === undefined || event.subject === subject)
        .take(max)
        .toArray();
      // A step that is done again after a power cut may keep its events at other places
      await database.durable();
      return found;
    },
    async readLast({ subject, scope }, max) {
      const found = newestEvents(database, `[${JSON.stringify(subject)},${JSON.stringify(scope)},`)
        .filter((event) => event.subject === subject && event.scope === scope)
        .take(max)
        .toArray();
      await database.durable();
      return found;
    },
    close: () => Promise.resolve(),
  };
}

function* eventsAfter(database: Database, after: number): Generator<KeptEvent> {
  const rows = rowsInPages(after, (from) => database.prepare(selectAll).all(from, rowsAtOnce));
  // The first row may begin before
  for (const row of rows) for (const event of eventsOfRow(row)) if (event.sequence > after) yield event;
}

/** The newest first, of rows whose heads hold the text. */
function* newestEvents(database: Database, text: string): Generator<KeptEvent> {
  const rows = rowsInPages(Number.MAX_SAFE_INTEGER, (before) => database.prepare(selectOf).all(before, text, rowsAtOnce));
  for (const row of rows) yield* eventsOfRow(row).reverse();
}

/** `read` gives those that follow behind a row's place. */
function* rowsInPages(start: number, read: (from: number) => readonly Row[]): Generator<Row> {
  for (let page = read(start); page.length > 0; page = read(Number(page.at(-1)?.["last"]))) yield* page;
}

type Row = Readonly<Record<string, unknown>>;

/** What a row has of an event beside its body, whose length comes last. */
type Head = readonly [subject: string, scope: string, eventId: string, key: string, bytes: number];

/** A step that begins again with a user reports once more what it had reported. */
function onceEach(events: readonly PublishedEvent[]): PublishedEvent[] {
  const seen = new Set<string>();
  return events.filter(({ eventId }) => seen.size < seen.add(eventId).size);
}

function headsOf(events: readonly PublishedEvent[]): string {
  const heads = events.map(({ subject, scope, eventId, key, body }): Head => [subject, scope, eventId, key, body.byteLength]);
  return JSON.stringify(heads);
}

function eventsOfRow(row: Row): KeptEvent[] {
  const bodies = row["bodies"] instanceof Uint8Array ? row["bodies"] : new Uint8Array();
  const heads = JSON.parse(String(row["heads"])) as readonly Head[];
  const first = Number(row["last"]) - heads.length + 1;
  let at = 0;
  return heads.map(([subject, scope, eventId, key, bytes], index) => {
    const body = bodies.subarray(at, at += bytes);
    return { sequence: first + index, subject, scope, eventId, key, body, keptAt: Number(row["kept_at"]) };
  });
}

/** Owner `events`. */
const schema: readonly string[] = [
  `
  CREATE TABLE events_kept (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, scope TEXT NOT NULL, event_id TEXT NOT NULL UNIQUE,
    event_key TEXT NOT NULL, body BLOB NOT NULL, kept_at INTEGER NOT NULL
  ) STRICT;
  `,
  // Events that were kept together are one row, at the place of the last: one insert for a step instead of two for each event, and none in the middle
  `
  CREATE TABLE events_packed (
    last INTEGER PRIMARY KEY AUTOINCREMENT, count INTEGER NOT NULL, heads TEXT NOT NULL, bodies BLOB NOT NULL, kept_at INTEGER NOT NULL
  ) STRICT;
  INSERT INTO events_packed (last, count, heads, bodies, kept_at)
    SELECT sequence, 1, json_array(json_array(subject, scope, event_id, event_key, length(body))), body, kept_at FROM events_kept;
  DELETE FROM sqlite_sequence WHERE name = 'events_packed';
  INSERT INTO sqlite_sequence (name, seq) SELECT 'events_packed', seq FROM sqlite_sequence WHERE name = 'events_kept';
  DROP TABLE events_kept;
  ALTER TABLE events_packed RENAME TO events_kept;
  `,
];

/** Events between two looks at what is too old. */
const trimEvery = 500;
const rowsAtOnce = 4;
/** The last place that was given, whether its event is kept or not: an epoch that begins moves it too (platform/log/sqlite-epoch.ts). */
const selectLastGiven = "SELECT seq FROM sqlite_sequence WHERE name = 'events_kept'";
const put = "INSERT INTO events_kept (last, count, heads, bodies, kept_at) VALUES (?, ?, ?, ?, ?)";
/** Whole rows, as long as enough newer ones are left; by count, as places have gaps where an epoch began. */
const trim = `DELETE FROM events_kept WHERE last < (
  SELECT last FROM (SELECT last, sum(count) OVER (ORDER BY last DESC) AS newer FROM events_kept) WHERE newer >= ? ORDER BY last DESC LIMIT 1)`;
const selectAll = "SELECT last, heads, bodies, kept_at FROM events_kept WHERE last > ? ORDER BY last LIMIT ?";
/** Without an index: no more than some `eventsKeptMax` events are kept. A row that holds the text has at least one event of that subject and scope. */
const selectOf = "SELECT last, heads, bodies, kept_at FROM events_kept WHERE last < ? AND instr(heads, ?) > 0 ORDER BY last DESC LIMIT ?";
/** A key may be what an id is elsewhere. */
const selectById = `SELECT 1 FROM events_kept
  WHERE instr(heads, ?) > 0 AND EXISTS (SELECT 1 FROM json_each(heads) WHERE value ->> 2 = ?) LIMIT 1`;
