/** Group commit: one fate for each write, whatever its neighbours and the disk do. */
import { fork } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { type Database, openDatabase } from "./database.ts";
import { lockDirectory } from "./lock.ts";
import { currentVersion, migrate } from "./migrate.ts";

let folder: string;
let database: Database;
const logged: string[] = [];
const logger: Logger = { ...silentLogger, error: (event) => logged.push(event), info: (event) => logged.push(event) };

beforeEach(async () => {
  logged.length = 0;
  folder = mkdtempSync(join(tmpdir(), "heddle-db-"));
  database = openDatabase({ path: join(folder, "a.db"), logger });
  await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
});

afterEach(async () => {
  await database.close();
  rmSync(folder, { recursive: true });
});

function insert(a: number, b = new Uint8Array(1)): number {
  return Number(database.prepare("INSERT INTO t (a, b) VALUES (?, ?)").run(a, b).lastInsertRowid);
}

function stored(): unknown[] {
  return database.prepare("SELECT a FROM t ORDER BY a").all().map((row) => row["a"]);
}

describe("openDatabase()", () => {
  test("says WAL and synchronous FULL explicitly", () => {
    expect(database.handle.prepare("PRAGMA journal_mode").get()).toMatchObject({ journal_mode: "wal" });
    expect(database.handle.prepare("PRAGMA synchronous").get()).toMatchObject({ synchronous: 2 });
    expect(database.handle.prepare("PRAGMA busy_timeout").get()).toMatchObject({ timeout: limits.storeBusyTimeoutMs });
  });

  test("says which file it cannot open", () => {
    for (const path of [join(folder, "missing", "a.db"), folder]) {
      expect(() => openDatabase({ path })).toThrow(`Cannot open the database "${path}"`);
    }
  });

  test("makes no new file beside changes of one that is gone, which SQLite would remove", async () => {
    await database.write(() => insert(1));
    for (const there of ["nothing", "an empty file"]) {
      const path = join(folder, there, "a.db");
      mkdirSync(join(folder, there));
      copyFileSync(join(folder, "a.db-wal"), `${path}-wal`);
      if (there === "an empty file") writeFileSync(path, "");
      expect(() => openDatabase({ path })).toThrow(`"${path}-wal" has changes of a database that was here`);
      expect(statSync(`${path}-wal`).size).toBeGreaterThan(0);
      copyFileSync(join(folder, "a.db"), path);
      const whole = openDatabase({ path });
      expect(whole.handle.prepare("SELECT count(*) AS n FROM t").get()).toMatchObject({ n: 1 });
      await whole.close();
    }
  });

  test("write() resolves with what its work returned, in call order, and a second connection sees it", async () => {
    const results = await Promise.all([3, 1, 2].map((a) => database.write(() => insert(a))));
    expect(results).toEqual([3, 1, 2]);
    const other = openDatabase({ path: join(folder, "a.db") });
    expect(other.handle.prepare("SELECT count(*) AS n FROM t").get()).toMatchObject({ n: 3 });
    await other.close();
  });

  test("write() shares one transaction among those that wait, up to the limit", async () => {
    const starts: number[] = [];
    const count = limits.groupCommitWritesMax + 1;
    const totalChanges = database.prepare("SELECT count(*) AS n FROM t");
    await Promise.all(
      Array.from({ length: count }, (_, a) =>
        database.write(() => {
          starts.push(Number(totalChanges.get()?.["n"]));
          insert(a);
        })),
    );
    expect(starts).toEqual(Array.from({ length: count }, (_, a) => a));
  });

  test("write() rejects only the one that throws, whole, and the neighbours are stored", async () => {
    const writes = [1, 2, 3].map((a) =>
      database.write(() => {
        insert(a);
        if (a === 2) throw new Error("planted");
        return a;
      })
    );
    const settled = await Promise.allSettled(writes);
    expect(settled.map((one) => one.status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
    expect(settled[1]).toMatchObject({ reason: { message: "planted" } });
    expect(stored()).toEqual([1, 3]);
  });

  test("write() rejects all with STORE_UNAVAILABLE on a full disk, says so once, and goes on when there is room", async () => {
    const pages = Number(database.handle.prepare("PRAGMA page_count").get()?.["page_count"]);
    database.handle.exec(`PRAGMA max_page_count = ${pages + 2}`);
    for (let round = 0; round < 3; round += 1) {
      const writes = [database.write(() => insert(1)), database.write(() => insert(2, new Uint8Array(100_000)))];
      for (const write of writes) {
        await expect(write).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE", message: "The store took nothing: disk full" });
      }
    }
    expect(stored()).toEqual([]);
    database.handle.exec("PRAGMA max_page_count = 100000");
    await database.write(() => insert(2, new Uint8Array(100_000)));
    expect(stored()).toEqual([2]);
    expect(logged).toEqual(["store_write_failed", "store_recovered"]);
  });

  test("write() rejects all with STORE_UNAVAILABLE when the commit is refused, and goes on", async () => {
    await database.write(() =>
      database.handle.exec("CREATE TABLE child (a INTEGER REFERENCES t (a) DEFERRABLE INITIALLY DEFERRED) STRICT")
    );
    const writes = [database.write(() => insert(1)), database.write(() => database.handle.exec("INSERT INTO child VALUES (9)"))];
    for (const write of writes) await expect(write).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(stored()).toEqual([]);
    await database.write(() => insert(1));
    expect(stored()).toEqual([1]);
  });

  test("write() refuses what passes the number that may wait, and takes the rest", async () => {
    const waiting = Array.from({ length: limits.storeWritesWaitingMax }, () => database.write(() => 1));
    await expect(database.write(() => 1)).rejects.toMatchObject({ reason: "OVERLOADED" });
    await Promise.all(waiting);
    await expect(database.write(() => 1)).resolves.toBe(1);
  });

  test("write() shares a transaction with those that come in the turns of the loop behind it, up to so many turns", async () => {
    const own = openDatabase({ path: ":memory:", clock: { ...systemClock, monotonic: () => 0 } });
    /** In which turn each of so many writes, one a turn, was carried out. */
    async function ranIn(turns: number): Promise<number[]> {
      let turn = 0;
      const writes: Promise<number>[] = [];
      for (; turn < turns; turn += 1) {
        writes.push(own.write(() => turn));
        await setImmediate();
      }
      return await Promise.all(writes);
    }
    expect(new Set(await ranIn(limits.groupCommitTurnsMax / 2)).size).toBe(1);
    const many = await ranIn(limits.groupCommitTurnsMax * 3);
    expect(many[0]).toBeLessThanOrEqual(limits.groupCommitTurnsMax + 1);
    expect(new Set(many).size).toBeGreaterThanOrEqual(3);
    await own.close();
  });

  test("write() does not wait for others behind its time", async () => {
    let now = 0;
    const own = openDatabase({ path: ":memory:", clock: { ...systemClock, monotonic: () => (now += limits.groupCommitWaitMsMax) } });
    let ran = 0;
    const first = own.write(() => (ran += 1));
    void own.write(() => (ran += 1));
    await setImmediate();
    expect(ran).toBe(2);
    await first;
    await own.close();
  });

  test("write() waits for the disk unless all who share the transaction can do their work again", async () => {
    const full = 2;
    const normal = 1;
    const mode = (): unknown => database.handle.prepare("PRAGMA synchronous").get()?.["synchronous"];
    const repeatable = { repeatable: true };
    expect(await Promise.all([database.write(mode, repeatable), database.write(mode, repeatable)])).toEqual([normal, normal]);
    expect(await Promise.all([database.write(mode, repeatable), database.write(mode)])).toEqual([full, full]);
    expect(await database.write(mode, repeatable)).toBe(normal);
    expect(await database.write(mode)).toBe(full);
  });

  test("durable() resolves when what can be seen is on the disk, and at once where it is", async () => {
    await database.write(() => insert(1), { repeatable: true });
    await database.durable();
    await database.write(() => insert(2));
    await database.durable();
    expect(stored()).toEqual([1, 2]);
  });

  test("a disk that fails behind a repeatable write: nothing is taken any more until a restart, which has what was written", async () => {
    await database.close();
    const disk = { fails: false, syncs: 0 };
    const sync = () => {
      disk.syncs += 1;
      return disk.fails ? Promise.reject(new Error("planted")) : Promise.resolve();
    };
    database = openDatabase({ path: join(folder, "a.db"), logger, sync });
    await database.write(() => insert(1));
    await database.write(() => insert(2), { repeatable: true });
    await database.durable();
    expect(disk.syncs).toBe(1);
    disk.fails = true;
    await database.write(() => insert(3), { repeatable: true });
    await expect(database.durable()).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    for (const options of [{ repeatable: true }, {}]) {
      await expect(database.write(() => insert(4), options)).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    }
    expect(logged).toEqual(["store_sync_failed", "store_write_failed"]);
    await database.close();
    database = openDatabase({ path: join(folder, "a.db") });
    expect(stored()).toEqual([1, 2, 3]);
  });

  test("a write that changes nothing makes nothing durable that did not wait", async () => {
    await database.close();
    let syncs = 0;
    const sync = () => Promise.resolve(void (syncs += 1));
    database = openDatabase({ path: join(folder, "a.db"), logger, sync });
    await database.write(() => insert(1));
    await database.write(() => insert(2), { repeatable: true });
    await database.write(() => database.prepare("DELETE FROM t WHERE a = 99").run());
    await database.durable();
    expect(syncs).toBe(1);
    await database.durable();
    expect(syncs).toBe(1);
  });

  test("close() waits for the writes before it and refuses those after", async () => {
    const before = database.write(() => insert(7));
    const closing = database.close();
    await expect(database.write(() => insert(8))).rejects.toMatchObject({ reason: "SHUTTING_DOWN" });
    await closing;
    expect(await before).toBe(7);
    database = openDatabase({ path: join(folder, "a.db") });
    expect(stored()).toEqual([7]);
  });

  test("works in memory too", async () => {
    const memory = openDatabase({ path: ":memory:" });
    await memory.write(() => memory.handle.exec("CREATE TABLE t (a)"));
    await memory.close();
  });

  test("prepare() takes a bounded number of texts, so a pasted value is found in tests", async () => {
    const memory = openDatabase({ path: ":memory:" });
    for (let index = 0; index < limits.storeStatementsMax; index += 1) memory.prepare(`SELECT ${index}`);
    expect(() => memory.prepare("SELECT 'one more'")).toThrow("bind values");
    await memory.close();
  });
});

describe("migrate()", () => {
  const first = "CREATE TABLE m_one (a INTEGER) STRICT";
  const second = "CREATE TABLE m_two (a INTEGER) STRICT; INSERT INTO m_two VALUES (2)";

  test("runs each version once, in order, for each owner", async () => {
    await migrate(database, "m", [first]);
    await migrate(database, "m", [first, second]);
    await migrate(database, "m", [first, second]);
    expect(currentVersion(database, "m")).toBe(2);
    expect(database.prepare("SELECT count(*) AS n FROM m_two").get()).toMatchObject({ n: 1 });
    expect(currentVersion(database, "other")).toBe(0);
  });

  test("undoes a version that fails as a whole", async () => {
    await expect(migrate(database, "m", [first, `${second}; NOT SQL`])).rejects.toThrow("syntax error");
    expect(currentVersion(database, "m")).toBe(1);
    expect(() => database.handle.prepare("SELECT * FROM m_two")).toThrow("no such table");
  });

  test("refuses tables that a newer build wrote", async () => {
    await migrate(database, "m", [first, second]);
    await expect(migrate(database, "m", [first])).rejects.toThrow('The tables of "m" have version 2, this build knows 1');
  });
});

describe("lockDirectory()", () => {
  test("takes a folder once, makes it where missing, and gives it back", () => {
    const path = join(folder, "new", "data");
    const lock = lockDirectory(path);
    expect(() => lockDirectory(path)).toThrow(`Another Heddle uses the data folder "${path}"`);
    lock.release();
    lock.release();
    lockDirectory(path).release();
  });

  test("is let go by the kernel when its process is killed", async () => {
    const holder = fork(new URL("lock-holder.fixture.ts", import.meta.url), [folder]);
    const gone = new Promise((resolve) => holder.once("exit", resolve));
    try {
      await new Promise((resolve) => holder.once("message", resolve));
      expect(() => lockDirectory(folder)).toThrow("Another Heddle uses the data folder");
    } finally {
      holder.kill("SIGKILL");
      await gone;
    }
    lockDirectory(folder).release();
  });
});
