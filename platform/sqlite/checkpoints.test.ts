/** Copying the WAL: when it begins, what waits for it, and what becomes of it where it fails or the process is killed. */
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import type { Copied } from "./checkpoint-thread.ts";
import { createCheckpoints } from "./checkpoints.ts";
import { openDatabase } from "./database.ts";

/** Checkpoints of a WAL that is as long as the test says, and a thread that copies when it says. */
function stage({ version = "3.53.0" } = {}) {
  const wal = { log: 0 };
  const clock = fakeClock();
  const executed: string[] = [];
  const logged: string[] = [];
  const asked: PromiseWithResolvers<Copied>[] = [];
  let ended = 0;
  const handle = {
    exec: (sql: string) => executed.push(sql),
    prepare: (sql: string) => ({ get: () => sql.includes("version") ? { version } : { ...wal, checkpointed: 0 } }),
  };
  const checkpoints = createCheckpoints(handle as unknown as DatabaseSync, "a.db", {
    clock,
    logger: { ...silentLogger, error: (event) => logged.push(event) },
    start: () => ({
      copy() {
        const one = Promise.withResolvers<Copied>();
        asked.push(one);
        return one.promise;
      },
      end: () => Promise.resolve(void (ended += 1)),
    }),
  });
  return {
    clock,
    checkpoints,
    executed,
    logged,
    asked,
    ended: () => ended,
    /** A commit after which the WAL is so long. */
    commit(log: number) {
      wal.log = log;
      checkpoints.committed();
    },
    /** Ends the copy that was asked for last. */
    async copied(pages: number) {
      asked.at(-1)?.resolve({ log: pages, checkpointed: pages });
      await turn();
    },
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const pagesMax = limits.storeWalPagesMax;

describe("createCheckpoints()", () => {
  test("copies from storeWalPagesMax pages on: beside the writes first, then what came meanwhile while they wait", async () => {
    const { checkpoints, commit, copied, asked } = stage();
    commit(pagesMax - 1);
    expect(asked).toHaveLength(0);
    commit(pagesMax);
    expect(asked).toHaveLength(1);
    expect(checkpoints.pause).toBeUndefined();
    commit(pagesMax + 300);
    await copied(pagesMax);
    expect(asked).toHaveLength(2);
    expect(checkpoints.pause).toBeDefined();
    await copied(pagesMax + 300);
    expect(checkpoints.pause).toBeUndefined();
  });

  test("copies again once the WAL began anew and is as long", async () => {
    const { commit, copied, asked } = stage();
    for (let round = 1; round <= 3; round += 1) {
      commit(pagesMax);
      await copied(pagesMax);
      await copied(pagesMax);
      commit(5);
      expect(asked).toHaveLength(2 * round);
    }
  });

  test("does not copy at each commit while a reader keeps the WAL from beginning anew", async () => {
    const { commit, copied, asked } = stage();
    commit(pagesMax);
    await copied(pagesMax);
    await copied(pagesMax);
    for (let more = 1; more < pagesMax; more += 1_000) commit(pagesMax + more);
    expect(asked).toHaveLength(2);
    commit(2 * pagesMax);
    expect(asked).toHaveLength(3);
  });

  test("writes wait no longer than storeCheckpointPauseMsMax", async () => {
    const { checkpoints, clock, commit, copied } = stage();
    commit(pagesMax);
    await copied(pagesMax);
    let goesOn = false;
    void checkpoints.pause?.then(() => (goesOn = true));
    clock.advance(limits.storeCheckpointPauseMsMax - 1);
    await turn();
    expect(goesOn).toBe(false);
    clock.advance(1);
    await turn();
    expect(goesOn).toBe(true);
  });

  test("a copy that fails is reported, tried again when the WAL is longer, and leaves nothing that waits", async () => {
    const { checkpoints, commit, asked, logged, ended } = stage();
    for (const failing of [0, 1]) {
      commit((failing + 1) * pagesMax);
      if (failing === 1) asked.at(-1)?.resolve({ log: 1, checkpointed: 1 });
      await turn();
      asked.at(-1)?.reject(new Error("disk I/O error"));
      await turn();
      expect(checkpoints.pause).toBeUndefined();
      expect(logged).toHaveLength(failing + 1);
      expect(ended()).toBe(failing + 1);
    }
  });

  test("the thread ends once it was not needed for a while, and at the end", async () => {
    const { clock, checkpoints, commit, copied, ended } = stage();
    commit(pagesMax);
    await copied(pagesMax);
    await copied(pagesMax);
    clock.advance(limits.storeCheckpointThreadIdleMs);
    expect(ended()).toBe(1);
    commit(3);
    commit(pagesMax);
    await copied(pagesMax);
    await copied(pagesMax);
    await checkpoints.close();
    expect(ended()).toBe(2);
  });

  test("close() waits for the copy that is under way, and no other begins", async () => {
    const { checkpoints, commit, copied, asked } = stage();
    commit(pagesMax);
    let closed = false;
    const closing = checkpoints.close().then(() => (closed = true));
    await turn();
    expect(closed).toBe(false);
    await copied(pagesMax);
    await copied(pagesMax);
    await closing;
    commit(4 * pagesMax);
    expect(asked).toHaveLength(2);
  });

  test("an SQLite that does not tell how long the WAL is copies within commits", () => {
    const { executed, commit, asked } = stage({ version: "3.50.4" });
    expect(executed).toEqual([`PRAGMA wal_autocheckpoint = ${limits.storeWalPagesWithinCommits}`]);
    commit(10 * pagesMax);
    expect(asked).toHaveLength(0);
  });
});

describe("a database", () => {
  function folder(): string {
    const path = mkdtempSync(join(tmpdir(), "heddle-checkpoints-"));
    onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
    return path;
  }
  const blob = new Uint8Array(1024 ** 2);

  test("begins its WAL anew while writes go on, and has all of them", async () => {
    const path = join(folder(), "a.db");
    const database = openDatabase({ path });
    await database.write(() => database.handle.exec("CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB) STRICT"));
    const length = database.handle.prepare("PRAGMA wal_checkpoint(NOOP)");
    let [written, longest, began] = [0, 0, false];
    while (!began) {
      await database.write(() => database.prepare("INSERT INTO t (b) VALUES (?)").run(blob), { repeatable: written % 2 === 0 });
      written += 1;
      const pages = Number(length.get()?.["log"]);
      began = pages < longest;
      longest = Math.max(longest, pages);
    }
    expect(longest).toBeGreaterThanOrEqual(pagesMax);
    expect(longest).toBeLessThan(limits.storeWalPagesWorst);
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

  test("killed as it is copied again and again has what was durable", { timeout: 60_000 }, async () => {
    const path = join(folder(), "a.db");
    const writer = fork(new URL("checkpoint-writer.fixture.ts", import.meta.url), [path]);
    const gone = new Promise((resolve) => writer.once("exit", resolve));
    let durable = 0;
    writer.on("message", (count: number) => {
      durable = count;
      // Some way into the second and third copy
      if (count === 160 + Math.floor(Math.random() * 60)) writer.kill("SIGKILL");
      if (count >= 230) writer.kill("SIGKILL");
    });
    await gone;
    expect(durable).toBeGreaterThanOrEqual(160);
    expect(rowsOf(path)).toBeGreaterThanOrEqual(durable);
  });

  function rowsOf(path: string): number {
    const database = new DatabaseSync(path);
    expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
    const rows = Number(database.prepare("SELECT count(*) AS count FROM t").get()?.["count"]);
    database.close();
    return rows;
  }
});
