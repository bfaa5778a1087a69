/** The thread that copies the WAL of a real file, what a kill leaves of it, and the same on Deno. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { startCheckpointThread } from "./checkpoint-thread.ts";
import { openDatabase } from "./database.ts";

const root = resolve(import.meta.dirname, "../..");
const binaries = join(root, "node_modules/.bin");
const writing = fileURLToPath(new URL("checkpoint-writer.fixture.ts", import.meta.url));

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "heddle-checkpoints-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

describe("a database", () => {
  const blob = new Uint8Array(1024 ** 2);

  test("begins its WAL anew while writes go on, and has all of them", async () => {
    const path = join(folder(), "a.db");
    const database = openDatabase({ path });
    await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    const length = database.handle.prepare("PRAGMA wal_checkpoint(NOOP)");
    const little = new Uint8Array(1);
    let [written, longest, began] = [0, 0, false];
    while (!began) {
      // Little while it is copied: what comes meanwhile is not to depend on how fast the disk is
      const value = longest < limits.storeWalPagesMax ? blob : little;
      await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(value), { repeatable: written % 2 === 0 });
      written += 1;
      const pages = Number(length.get()?.["log"]);
      began = pages < longest;
      longest = Math.max(longest, pages);
    }
    expect(longest).toBeGreaterThanOrEqual(limits.storeWalPagesMax);
    expect(longest).toBeLessThan(3 * limits.storeWalPagesMax);
    await database.close();
    expect(rowsOf(path)).toBe(written);
  });

  test("closed while it is copied is whole", async () => {
    const path = join(folder(), "a.db");
    const database = openDatabase({ path });
    await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    await Promise.all(Array.from({ length: 80 }, () => database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob))));
    await database.close();
    expect(rowsOf(path)).toBe(80);
  });

  test("writes on where its disk takes too long for what came meanwhile", async () => {
    const path = join(folder(), "a.db");
    const slow = Promise.withResolvers<boolean>();
    const copies: Promise<boolean>[] = [slow.promise, Promise.resolve(true)];
    const database = openDatabase({
      path,
      startThread: () => ({ open: () => Promise.resolve(), copy: () => copies.pop() ?? slow.promise, end: () => Promise.resolve() }),
    });
    await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    for (let written = 0; copies.length > 0; written += 1) {
      expect(written).toBeLessThan(100);
      await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob));
    }
    await Promise.all([1, 2, 3].map(() => database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(new Uint8Array(1)))));
    slow.resolve(true);
    await database.close();
  });

  test("whose thread cannot work on its file says so and has what was written", async () => {
    const path = join(folder(), "a.db");
    const logged: string[] = [];
    const database = openDatabase({
      path,
      logger: { ...silentLogger, error: (event) => logged.push(event) },
      startThread: (file) => startCheckpointThread(`${file}-elsewhere`),
    });
    await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    await Promise.all(Array.from({ length: 80 }, () => database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob))));
    await expect.poll(() => logged).toEqual(["store_checkpoint_failed"]);
    await database.close();
    expect(rowsOf(path)).toBe(80);
  });

  test("whose disk fails behind a copy writes no more, and its WAL is whole for the next start, whatever others do with the file", async () => {
    const path = join(folder(), "a.db");
    let isWell = true;
    const database = openDatabase({ path, sync: () => isWell ? Promise.resolve() : Promise.reject(new Error("EIO")) });
    await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    isWell = false;
    let written = 0;
    const refused = await (async () => {
      for (; written < 400; written += 1) await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob));
    })().catch((error: unknown) => String(error));
    expect(refused).toMatch(/The disk failed/);
    const before = statSync(`${path}-wal`).size;
    const other = new DatabaseSync(path);
    other.exec("PRAGMA wal_autocheckpoint = 1");
    for (const n of [1, 2, 3]) other.exec(`INSERT INTO t (a) VALUES (${1_000_000 + n})`);
    other.close();
    // Had it begun anew, it would be as long
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(before);
    await database.close();
    expect(rowsOf(path)).toBe(written + 3);
    database.handle.close();
  });

  test("killed as it is copied again and again has what was durable", { timeout: 60_000 }, async () => {
    const path = join(folder(), "a.db");
    const writer = spawn(join(binaries, "node"), [writing, path]);
    // Some way into the second copy or the third
    const last = 120 + Math.floor(Math.random() * 100);
    let durable = 0;
    createInterface(writer.stdout).on("line", (count) => {
      durable = Number(count);
      if (durable >= last) writer.kill("SIGKILL");
    });
    // And not by itself, as it would where the thread failed
    const [, signal] = await once(writer, "close");
    expect(signal).toBe("SIGKILL");
    expect(rowsOf(path)).toBeGreaterThanOrEqual(durable);
  });

  test("is copied by a thread on Deno, too, with no more rights than the process has", { timeout: 60_000 }, async () => {
    const path = join(folder(), "a.db");
    const rights = [`--allow-read=${root},${dirname(path)}`, `--allow-write=${dirname(path)}`, "--allow-sys=hostname", "--ignore-env"];
    const writer = spawn(join(binaries, "deno"), ["run", "--no-prompt", "--node-modules-dir=manual", ...rights, writing, path, "anew"], {
      cwd: root,
    });
    let written = 0;
    createInterface(writer.stdout).on("line", (count) => (written = Number(count)));
    // By itself once its WAL has begun anew
    const [code] = await once(writer, "close");
    expect(code).toBe(0);
    expect(rowsOf(path)).toBe(written);
  });

  function rowsOf(path: string): number {
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const rows = Number(database.prepare("SELECT count(*) AS count FROM t").get()?.["count"]);
    database.close();
    return rows;
  }
});
