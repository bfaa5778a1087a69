/** Copying the WAL: when it begins, what waits for it, and what becomes of it where the disk fails. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { createCheckpoints } from "./checkpoints.ts";

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), "heddle-checkpoints-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5 }));
  return path;
}

/** Checkpoints of a WAL that is as long as the test says, and a thread that copies when it says. */
function stage({ version = "3.53.0" } = {}) {
  const wal = { log: 0 };
  const clock = fakeClock();
  const executed: string[] = [];
  const logged: string[] = [];
  const asked: PromiseWithResolvers<boolean>[] = [];
  const disk = { failures: [] as unknown[], syncs: 0, broken: false };
  let ended = 0;
  const ending = { done: Promise.resolve() };
  const path = join(folder(), "a.db");
  writeFileSync(path, "");
  const handle = {
    exec: (sql: string) => executed.push(sql),
    prepare(sql: string) {
      if (sql.includes("PASSIVE")) executed.push(sql);
      return { get: () => sql.includes("version") ? { version } : wal };
    },
  };
  const checkpoints = createCheckpoints(handle as unknown as DatabaseSync, path, {
    clock,
    logger: { ...silentLogger, error: (event) => logged.push(event) },
    async sync() {
      disk.syncs += 1;
      if (disk.broken) throw new Error("EIO");
    },
    walSync: {
      failure: () => disk.failures.length > 0 ? new Refusal("STORE_UNAVAILABLE") : undefined,
      diskFailed: (cause) => void disk.failures.push(cause),
    },
    startThread: () => ({
      open: () => Promise.resolve(),
      copy() {
        const one = Promise.withResolvers<boolean>();
        asked.push(one);
        return one.promise;
      },
      async end() {
        await ending.done;
        ended += 1;
      },
    }),
  });
  onTestFinished(() => checkpoints.release());
  return {
    clock,
    checkpoints,
    executed,
    logged,
    asked,
    disk,
    ending,
    ended: () => ended,
    /** A commit after which the WAL is so long. */
    async commit(log: number) {
      wal.log = log;
      checkpoints.committed();
      await turn();
    },
    /** Ends the copy that was asked for last. */
    async copied(isDone = true) {
      asked.at(-1)?.resolve(isDone);
      await turn();
    },
    async failed(errcode?: number) {
      asked.at(-1)?.reject(Object.assign(new Error("disk I/O error"), { errcode }));
      await turn();
    },
  };
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

const pagesMax = limits.storeWalPagesMax;
/** SQLITE_IOERR_FSYNC, SQLITE_IOERR_WRITE. */
const [syncFailed, writeFailed] = [1034, 778];

describe("createCheckpoints()", () => {
  test("copies from storeWalPagesMax pages on: beside the writes first, then what came meanwhile while they wait", async () => {
    const { checkpoints, commit, copied, asked, disk } = stage();
    await commit(pagesMax - 1);
    expect(asked).toHaveLength(0);
    await commit(pagesMax);
    expect(asked).toHaveLength(1);
    expect(checkpoints.pause).toBeUndefined();
    await commit(pagesMax + 300);
    expect(disk.syncs).toBe(0);
    await copied();
    expect(disk.syncs).toBe(1);
    expect(asked).toHaveLength(2);
    expect(checkpoints.pause).toBeDefined();
    await copied();
    expect(checkpoints.pause).toBeUndefined();
  });

  test("copies again once the WAL began anew and is as long", async () => {
    const { commit, copied, asked } = stage();
    for (let round = 1; round <= 3; round += 1) {
      await commit(pagesMax);
      await copied();
      await copied();
      await commit(5);
      expect(asked).toHaveLength(2 * round);
    }
  });

  test("does not copy at each commit while a reader keeps the WAL from beginning anew", async () => {
    const { commit, copied, asked } = stage();
    await commit(pagesMax);
    await copied();
    await copied();
    for (let more = 1; more < pagesMax; more += 1_000) await commit(pagesMax + more);
    expect(asked).toHaveLength(2);
    await commit(2 * pagesMax);
    expect(asked).toHaveLength(3);
  });

  test("writes wait no longer than storeCheckpointPauseMsMax", async () => {
    const { checkpoints, clock, commit, copied } = stage();
    await commit(pagesMax);
    await copied();
    const { pause } = checkpoints;
    clock.advance(limits.storeCheckpointPauseMsMax - 1);
    expect(checkpoints.pause).toBeDefined();
    clock.advance(1);
    expect(checkpoints.pause).toBeUndefined();
    await pause;
  });

  test("where another connection copies nothing waits, and the next try comes later", async () => {
    const { checkpoints, commit, copied, asked } = stage();
    await commit(pagesMax);
    await copied(false);
    expect(checkpoints.pause).toBeUndefined();
    await commit(2 * pagesMax - 1);
    expect(asked).toHaveLength(1);
    await commit(2 * pagesMax);
    expect(asked).toHaveLength(2);
  });

  test("where a thread cannot copy, for want of room or of a thread, that is reported and done here; nothing waits", async () => {
    for (const errcode of [undefined, 13, writeFailed]) {
      const { checkpoints, commit, failed, logged, ended, disk, executed } = stage();
      for (const times of [1, 2]) {
        await commit(times * pagesMax);
        await failed(errcode);
        expect(checkpoints.pause).toBeUndefined();
        expect([logged.length, ended()]).toEqual([times, times]);
        expect(executed.filter((sql) => sql.includes("PASSIVE"))).toHaveLength(times);
      }
      expect(disk.failures).toEqual([]);
    }
  });

  test("a disk that fails to sync ends the store: what was copied before may be lost, and the WAL that has it is kept by a read", async () => {
    for (const when of ["first", "sync", "second"]) {
      const { commit, copied, failed, asked, disk, logged, executed } = stage();
      disk.broken = when === "sync";
      await commit(pagesMax);
      if (when === "first") await failed(syncFailed);
      else await copied();
      if (when === "second") await failed(syncFailed);
      expect(disk.failures).toHaveLength(1);
      expect(asked).toHaveLength(when === "second" ? 2 : 1);
      expect(logged).toEqual([]);
      expect(executed.at(-1)).toMatch(/^BEGIN; SELECT/);
    }
  });

  test("a WAL of which it is unknown what is on the disk is not copied", async () => {
    const { commit, asked, disk } = stage();
    disk.failures.push(new Error("before"));
    await commit(pagesMax);
    expect(asked).toHaveLength(0);
  });

  test("the thread ends once it was not needed for a while, and at the end", async () => {
    const { clock, checkpoints, commit, copied, ended } = stage();
    await commit(pagesMax);
    await copied();
    await copied();
    clock.advance(limits.storeCheckpointThreadIdleMs);
    await turn();
    expect(ended()).toBe(1);
    await commit(3);
    await commit(pagesMax);
    await copied();
    await copied();
    await checkpoints.close();
    expect(ended()).toBe(2);
  });

  test("close() waits for the copy that is under way, and no other begins", async () => {
    const { checkpoints, commit, copied, asked } = stage();
    await commit(pagesMax);
    let closed = false;
    const closing = checkpoints.close().then(() => (closed = true));
    await turn();
    expect(closed).toBe(false);
    await copied();
    await closing;
    await commit(4 * pagesMax);
    expect(asked).toHaveLength(1);
  });

  test("close() waits for a thread that is ending already", async () => {
    const { clock, checkpoints, commit, copied, ending } = stage();
    await commit(pagesMax);
    await copied();
    await copied();
    const slow = Promise.withResolvers<void>();
    ending.done = slow.promise;
    clock.advance(limits.storeCheckpointThreadIdleMs);
    let closed = false;
    const closing = checkpoints.close().then(() => (closed = true));
    await turn();
    expect(closed).toBe(false);
    slow.resolve();
    await closing;
  });

  test("an SQLite that does not tell how long the WAL is, or may lose it between connections, copies within commits", async () => {
    for (const version of ["3.46.1", "3.50.4", "3.51.2"]) {
      const { executed, commit, asked } = stage({ version });
      expect(executed).toEqual([`PRAGMA wal_autocheckpoint = ${limits.storeWalPagesWithinCommits}`]);
      await commit(10 * pagesMax);
      expect(asked).toHaveLength(0);
    }
    for (const version of ["3.51.3", "3.53.4", "4.0.0"]) expect(stage({ version }).executed).toEqual(["PRAGMA wal_autocheckpoint = 0"]);
  });
});
