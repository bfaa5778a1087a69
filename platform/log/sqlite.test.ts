/** The SQLite log against the contract, and what only this driver promises. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { type Database, openDatabase } from "../sqlite/database.ts";
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
