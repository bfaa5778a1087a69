/** Events in SQLite against the contract, and what only this driver promises. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type Database, openDatabase } from "../sqlite/database.ts";
import { describeEvents } from "./events-contract.ts";
import { migrate } from "../sqlite/migrate.ts";
import { openSqliteEvents } from "./sqlite.ts";

const clock = systemClock;

describeEvents("sqlite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-events-"));
  let database = openDatabase({ path: join(folder, "heddle.db") });
  return {
    events: await openSqliteEvents({ database, clock }),
    async reopen() {
      await database.close();
      database = openDatabase({ path: join(folder, "heddle.db") });
      return await openSqliteEvents({ database, clock });
    },
    async dispose() {
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
});

const firstSchema = `CREATE TABLE events_kept (
  sequence INTEGER PRIMARY KEY AUTOINCREMENT, subject TEXT NOT NULL, scope TEXT NOT NULL, event_id TEXT NOT NULL UNIQUE,
  event_key TEXT NOT NULL, body BLOB NOT NULL, kept_at INTEGER NOT NULL) STRICT;`;

function eventsFrom(first: number, count: number) {
  return Array.from({ length: count }, (_, at) => ({
    subject: "profile.user.updated.v1",
    scope: "ws",
    eventId: `e${first + at}`,
    key: "u",
    body: new Uint8Array(),
  }));
}

test("append() keeps nothing where the transaction is undone", async () => {
  const database = openDatabase({ path: ":memory:" });
  const events = await openSqliteEvents({ database, clock });
  const failing = database.write(() => {
    events.append(eventsFrom(0, 2));
    throw new Error("undone");
  });
  await expect(failing).rejects.toThrow("undone");
  expect(await events.read(0, { max: 10 })).toEqual([]);
  await database.close();
});

test("the oldest events go, the newest stay", async () => {
  const database = openDatabase({ path: ":memory:" });
  const events = await openSqliteEvents({ database, clock });
  const all = limits.eventsKeptMax + 1_000;
  for (let at = 0; at < all; at += 1_000) await events.publish(eventsFrom(at, 1_000));
  const [oldest] = await events.read(0, { max: 1 });
  expect(oldest?.sequence).toBeGreaterThan(1);
  expect(oldest?.sequence).toBeLessThanOrEqual(1_001);
  expect((await events.read(all - 1, { max: 10 })).map(({ eventId }) => eventId)).toEqual([`e${all - 1}`]);
  await database.close();
});

test("events that an earlier build kept are read at their places, and the next ones lie above all that it gave", async () => {
  const database = openDatabase({ path: ":memory:" });
  await migrate(database, "events", [firstSchema]);
  await database.write(() => {
    const insert = database.prepare("INSERT INTO events_kept VALUES (?, ?, ?, ?, ?, ?, ?)");
    insert.run(7, "profile.user.merged.v1", "ws", "e7", "käthe", Uint8Array.of(7, 8), 70);
    insert.run(9, "profile.user.updated.v1", "ws", "e9", "u", new Uint8Array(), 90);
    insert.run(12, "profile.user.updated.v1", "ws", "e12", "u", new Uint8Array(), 120);
    database.prepare("DELETE FROM events_kept WHERE sequence = 12").run();
  });
  const events = await openSqliteEvents({ database, clock });
  await events.publish([...eventsFrom(9, 1), ...eventsFrom(13, 1)]);
  expect(await events.read(0, { max: 10 })).toMatchObject([
    { sequence: 7, subject: "profile.user.merged.v1", scope: "ws", eventId: "e7", key: "käthe", body: Uint8Array.of(7, 8), keptAt: 70 },
    { sequence: 9, eventId: "e9", keptAt: 90 },
    { sequence: 13, eventId: "e13" },
  ]);
  await database.close();
});

test("events above a place in the middle of those that were kept together", async () => {
  const database = openDatabase({ path: ":memory:" });
  const events = await openSqliteEvents({ database, clock });
  const all = limits.rowPackedMax * 40;
  await events.publish(eventsFrom(1, all));
  for (const after of [0, 1, limits.rowPackedMax, limits.rowPackedMax + 1, all - 1, all]) {
    const read = await events.read(after, { max: 200 });
    expect(read.map(({ sequence }) => sequence)).toEqual(Array.from({ length: Math.min(200, all - after) }, (_, at) => after + 1 + at));
    expect(read.map(({ eventId }) => eventId)).toEqual(read.map(({ sequence }) => `e${sequence}`));
  }
  await database.close();
});

test("append() of an event twice keeps it once, at its first place", async () => {
  const database = openDatabase({ path: ":memory:" });
  const events = await openSqliteEvents({ database, clock });
  await database.write(() => events.append([...eventsFrom(1, 3), ...eventsFrom(2, 3)]));
  expect((await events.read(0, { max: 10 })).map(({ eventId, sequence }) => [eventId, sequence])).toEqual([
    ["e1", 1],
    ["e2", 2],
    ["e3", 3],
    ["e4", 4],
  ]);
  await database.close();
});

test("an event is kept though its id is the key of another", async () => {
  const database = openDatabase({ path: ":memory:" });
  const events = await openSqliteEvents({ database, clock });
  await events.publish(eventsFrom(1, 1).map((event) => ({ ...event, key: "e2" })));
  await events.publish(eventsFrom(2, 1));
  expect((await events.read(0, { max: 10 })).map(({ eventId }) => eventId)).toEqual(["e1", "e2"]);
  await database.close();
});

test("read() tells no place that a power cut could give to another event", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-events-"));
  const database = openDatabase({ path: join(folder, "heddle.db") });
  const disk = Promise.withResolvers<void>();
  const events = await openSqliteEvents({ database: { ...bound(database), durable: () => disk.promise }, clock });
  await database.write(() => events.append(eventsFrom(0, 1)), { repeatable: true });
  let told: number | undefined;
  const reading = events.read(0, { max: 10 }).then((read) => (told = read.length));
  await Promise.resolve();
  expect(told).toBeUndefined();
  disk.resolve();
  await expect(reading).resolves.toBe(1);
  await database.close();
  rmSync(folder, { recursive: true });
});

test("read() beside a server waits until what the server committed is on the disk, and refuses where that fails", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-events-"));
  const path = join(folder, "heddle.db");
  // The disk of the server is slow: what its repeatable write committed can be seen, and a power cut would take it back
  const slow = Promise.withResolvers<void>();
  const server = openDatabase({ path, sync: () => slow.promise });
  const written = await openSqliteEvents({ database: server, clock });
  await written.publish(eventsFrom(0, 1));
  await server.write(() => written.append(eventsFrom(1, 1)), { repeatable: true });
  const syncs: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  const reader = openDatabase({
    path,
    beside: true,
    sync: () => new Promise((resolve, reject) => void syncs.push({ resolve, reject })),
  });
  const events = await openSqliteEvents({ database: reader, clock });
  let told: number | undefined;
  const reading = events.read(0, { max: 10 }).then((read) => (told = read.length));
  await expect.poll(() => syncs.length).toBe(1);
  expect(told).toBeUndefined();
  syncs[0]?.resolve();
  await expect(reading).resolves.toBe(2);
  const refused = events.read(0, { max: 10 });
  await expect.poll(() => syncs.length).toBe(2);
  syncs[1]?.reject(new Error("the disk failed"));
  await expect(refused).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
  slow.resolve();
  await server.close();
  await reader.close();
  rmSync(folder, { recursive: true });
});

test("read() beside a server that ended, whose events are all in the file, waits for nothing", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-events-"));
  const path = join(folder, "heddle.db");
  const server = openDatabase({ path });
  const written = await openSqliteEvents({ database: server, clock });
  await server.write(() => written.append(eventsFrom(0, 1)), { repeatable: true });
  await server.close();
  const reader = openDatabase({ path, beside: true });
  const events = await openSqliteEvents({ database: reader, clock });
  expect(await events.read(0, { max: 10 })).toHaveLength(1);
  await reader.close();
  rmSync(folder, { recursive: true });
});

function bound(database: Database): Database {
  return {
    write: (work, options) => database.write(work, options),
    durable: () => database.durable(),
    prepare: (sql) => database.prepare(sql),
    handle: database.handle,
    close: () => database.close(),
  };
}
