/** The SQLite log against the contract, and what only this driver promises. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { type Database, openDatabase } from "../sqlite/database.ts";
import { migrate } from "../sqlite/migrate.ts";
import { describeLog } from "./log-contract.ts";
import { openSqliteLog } from "./sqlite.ts";

describeLog("sqlite", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-log-"));
  const clock = fakeClock();
  let database = openDatabase({ path: join(folder, "log.db") });
  let log = await openSqliteLog({ database, partitions: 3, clock });
  return {
    log,
    clock,
    async reopen() {
      await log.close();
      await database.close();
      database = openDatabase({ path: join(folder, "log.db") });
      log = await openSqliteLog({ database, partitions: 3, clock });
      return log;
    },
    async dispose() {
      await log.close();
      await database.close();
      rmSync(folder, { recursive: true });
    },
  };
});

/** As a build before made them. */
const tablesBefore = [
  `CREATE TABLE log_tails (partition INTEGER PRIMARY KEY, sequence INTEGER NOT NULL) STRICT;
   CREATE TABLE log_records (
     partition INTEGER NOT NULL, sequence INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (partition, sequence)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO log_tails VALUES (0, 9), (1, 8);`,
];

describe("openSqliteLog()", () => {
  const databases: Database[] = [];
  afterEach(async () => {
    for (const database of databases.splice(0)) await database.close();
  });

  async function openLog() {
    const database = openDatabase({ path: ":memory:" });
    databases.push(database);
    return { database, log: await openSqliteLog({ database, partitions: 2, clock: fakeClock() }) };
  }

  test("keeps its number of partitions for good", async () => {
    const { database } = await openLog();
    await expect(openSqliteLog({ database, partitions: 3, clock: fakeClock() })).rejects.toThrow(
      "The log was made with 2 partitions and cannot be opened with 3",
    );
  });

  test("takes over the records of a build whose tables had them by partition and sequence", async () => {
    const database = openDatabase({ path: ":memory:" });
    databases.push(database);
    await migrate(database, "log", tablesBefore);
    for (const [partition, sequence] of [[0, 7], [0, 9], [1, 8]] as const) {
      const put = database.prepare("INSERT INTO log_records (partition, sequence, body) VALUES (?, ?, ?)");
      await database.write(() => put.run(partition, sequence, Uint8Array.of(sequence)));
    }
    const log = await openSqliteLog({ database, partitions: 2, clock: fakeClock() });
    const read = async (partition: number) =>
      (await log.read(partition, 0, { max: 9, bytesMax: 99 })).map(({ sequence, body }) => [sequence, ...body]);
    expect([await read(0), await read(1)]).toEqual([[[7, 7], [9, 9]], [[8, 8]]]);
    expect([await log.append(0, Uint8Array.of(1)), await log.append(1, Uint8Array.of(1))]).toEqual([10, 9]);
    await log.trim(0, 9);
    await log.close();
    const again = await openSqliteLog({ database, partitions: 2, clock: fakeClock() });
    expect((await again.read(0, 0, { max: 9, bytesMax: 99 })).map(({ sequence }) => sequence)).toEqual([10]);
    expect((await again.read(1, 0, { max: 9, bytesMax: 99 })).map(({ sequence }) => sequence)).toEqual([8, 9]);
  });

  test("records that were appended together are read from the middle of them, and trimmed there, also by another process", async () => {
    const { database, log } = await openLog();
    const count = 2 * limits.rowPackedMax + 3;
    await Promise.all(Array.from({ length: count }, (_, at) => log.append(at % 2, Uint8Array.of(at % 200))));
    const own = Math.ceil(count / 2);
    await log.trim(0, 5);
    await log.close();
    const again = await openSqliteLog({ database, partitions: 2, clock: fakeClock() });
    const read = async (after: number, bounds: { max: number; bytesMax: number }) =>
      (await again.read(0, after, bounds)).map(({ sequence, body }) => [sequence, ...body]);
    const from = (first: number, length: number) => Array.from({ length }, (_, at) => [first + at, ((first + at - 1) * 2) % 200]);
    expect(await read(10, { max: 3, bytesMax: 99 })).toEqual(from(11, 3));
    expect(await read(limits.rowPackedMax - 1, { max: 99, bytesMax: 2 })).toEqual(from(limits.rowPackedMax, 2));
    expect(await read(7, { max: 99, bytesMax: 0 })).toEqual(from(8, 1));
    expect(await read(8, { max: 999, bytesMax: 999 })).toEqual(from(9, own - 8));
    await again.trim(0, 20);
    expect(await read(0, { max: 2, bytesMax: 99 })).toEqual(from(21, 2));
    await again.trim(0, own);
    expect(await read(0, { max: 2, bytesMax: 99 })).toEqual([]);
    expect(database.prepare("SELECT count(*) AS count FROM log_records WHERE place % 2 = 0").get()).toEqual({ count: 0 });
  });

  test("append() refuses what passes the number that may wait, and takes the rest", async () => {
    const { log } = await openLog();
    const waiting = Array.from({ length: limits.logAppendsWaitingMax }, () => log.append(0, new Uint8Array(1)));
    await expect(log.append(0, new Uint8Array(1))).rejects.toMatchObject({ reason: "OVERLOADED" });
    expect(new Set(await Promise.all(waiting)).size).toBe(limits.logAppendsWaitingMax);
    await expect(log.append(0, new Uint8Array(1))).resolves.toBe(limits.logAppendsWaitingMax + 1);
  });

  test("append() refuses what passes the bytes that may wait", async () => {
    const { log } = await openLog();
    const large = new Uint8Array(limits.logBytesWaitingMax / 2);
    const waiting = [log.append(0, large), log.append(0, large)];
    await expect(log.append(0, new Uint8Array(1))).rejects.toMatchObject({ reason: "OVERLOADED" });
    await Promise.all(waiting);
    await expect(log.append(0, new Uint8Array(1))).resolves.toBe(3);
  });

  test("append() refuses LOG_FULL on a full disk, gives no sequence away, and goes on when there is room", async () => {
    const { database, log } = await openLog();
    await log.append(0, new Uint8Array(10));
    const pages = Number(database.handle.prepare("PRAGMA page_count").get()?.["page_count"]);
    database.handle.exec(`PRAGMA max_page_count = ${pages + 5}`);
    const together = [log.append(0, new Uint8Array(10)), log.append(0, new Uint8Array(1_000_000))];
    for (const append of together) await expect(append).rejects.toMatchObject({ reason: "LOG_FULL" });
    expect(await log.tail(0)).toBe(1);
    database.handle.exec("PRAGMA max_page_count = 1000000");
    await expect(log.append(0, new Uint8Array(1_000_000))).resolves.toBe(2);
  });

  test("append() refuses LOG_UNAVAILABLE where the store is closed", async () => {
    const { database, log } = await openLog();
    await database.close();
    await expect(log.append(0, new Uint8Array(10))).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
  });

  test("append() keeps its records when a neighbour in the same transaction throws", async () => {
    const { database, log } = await openLog();
    const append = log.append(0, new Uint8Array(3));
    const neighbour = database.write(() => {
      throw new Error("planted");
    });
    await expect(neighbour).rejects.toThrow("planted");
    expect(await append).toBe(1);
    expect(await log.read(0, 0, { max: 10, bytesMax: 100 })).toHaveLength(1);
  });
});
