/** Events in the embedded store: a table, which a service may fill in the transaction of the change that caused them. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Database } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import { checkEvent, type Events, type KeptEvent, type PublishedEvent } from "./events.ts";

export interface SqliteEvents extends Events {
  /** Runs inside a transaction of the database: the events are kept if and only if what is written with them is. */
  append(events: readonly PublishedEvent[]): void;
}

/** The newest `eventsKeptMax` are kept. */
export async function openSqliteEvents({ database, clock }: { readonly database: Database; readonly clock: Clock }): Promise<SqliteEvents> {
  await migrate(database, "events", schema);
  function append(events: readonly PublishedEvent[]): void {
    const insert = database.prepare(put);
    let last = 0;
    for (const event of events) {
      checkEvent(event);
      const { subject, scope, eventId, key, body } = event;
      const { changes, lastInsertRowid } = insert.run(subject, scope, eventId, key, body, clock.now());
      if (changes > 0) last = Number(lastInsertRowid);
    }
    if (last % trimEvery < events.length) database.prepare(trim).run(limits.eventsKeptMax);
  }
  return {
    append,
    async publish(events) {
      for (const event of events) checkEvent(event);
      if (events.length > 0) await database.write(() => append(events));
    },
    async read(after, { max, subject }) {
      const rows = subject === undefined
        ? database.prepare(selectAll).all(after, max)
        : database.prepare(selectOf).all(after, subject, max);
      // A step that is done again after a power cut may keep its events at other places
      await database.durable();
      return rows.map(eventOfRow);
    },
    async readLast({ subject, scope }, max) {
      const rows = database.prepare(selectLast).all(subject, scope, max);
      await database.durable();
      return rows.map(eventOfRow);
    },
    close: () => Promise.resolve(),
  };
}

function eventOfRow(row: Readonly<Record<string, unknown>>): KeptEvent {
  return {
    sequence: Number(row["sequence"]),
    subject: String(row["subject"]),
    scope: String(row["scope"]),
    eventId: String(row["event_id"]),
    key: String(row["event_key"]),
    body: row["body"] instanceof Uint8Array ? row["body"] : new Uint8Array(),
    keptAt: Number(row["kept_at"]),
  };
}

/** Owner `events`. */
const schema: readonly string[] = [
  `
  CREATE TABLE events_kept (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, scope TEXT NOT NULL, event_id TEXT NOT NULL UNIQUE,
    event_key TEXT NOT NULL, body BLOB NOT NULL, kept_at INTEGER NOT NULL
  ) STRICT;
  `,
];

/** Rows between two looks at what is too old. */
const trimEvery = 500;
const put = `INSERT INTO events_kept (subject, scope, event_id, event_key, body, kept_at) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (event_id) DO NOTHING`;
/** By count: places have gaps where an epoch began. */
const trim = `DELETE FROM events_kept WHERE sequence <= (SELECT sequence FROM events_kept ORDER BY sequence DESC LIMIT 1 OFFSET ?)`;
const selectAll = "SELECT * FROM events_kept WHERE sequence > ? ORDER BY sequence LIMIT ?";
/** Without an index of its own: no more than `eventsKeptMax` rows are kept. */
const selectLast = "SELECT * FROM events_kept WHERE subject = ? AND scope = ? ORDER BY sequence DESC LIMIT ?";
const selectOf = "SELECT * FROM events_kept WHERE sequence > ? AND subject = ? ORDER BY sequence LIMIT ?";
