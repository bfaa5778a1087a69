/** Whether a database was put back, and from where its log goes on. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { openDatabase } from "../sqlite/database.ts";
import { openReachFile, type Reach } from "./reach-file.ts";
import { beginSqliteLogAbove, beginSqliteLogAnew, openSqliteLog, sqliteLogEnd } from "./sqlite.ts";
import { judgeReach } from "./sqlite-epoch.ts";

const reach: Reach = { logId: "log_a", number: 1, ceiling: 1_000, noted: 400 };
const known = { logId: "log_a", number: 1 };

interface Case {
  readonly what: string;
  readonly found?: Reach;
  readonly row?: typeof known;
  readonly given: number;
  readonly kind: ReturnType<typeof judgeReach>;
}

const cases: readonly Case[] = [
  { what: "nothing lies beside the file", row: known, given: 0, kind: "fits" },
  { what: "a process was killed", found: reach, row: known, given: 400, kind: "may miss some" },
  { what: "a process was killed at the end of what it had reserved", found: reach, row: known, given: 1_000, kind: "fits" },
  { what: "a process ended well", found: { ...reach, ceiling: 400 }, row: known, given: 400, kind: "fits" },
  { what: "less is there than was noted", found: reach, row: known, given: 399, kind: "older" },
  { what: "the file is of an earlier epoch", found: reach, row: { ...known, number: 0 }, given: 5_000, kind: "older" },
  { what: "the file was restored on purpose", found: reach, row: { ...known, number: 2 }, given: 2 ** 40, kind: "fits" },
  { what: "a restored file begins below what this folder gave", found: reach, row: { ...known, number: 2 }, given: 999, kind: "older" },
  { what: "the file is another log's", found: reach, row: { ...known, logId: "log_b" }, given: 5_000, kind: "older" },
  { what: "the file is of a build without epochs", found: reach, given: 5_000, kind: "older" },
];

test.each(cases)("$what: $kind", ({ found, row, given, kind }) => {
  expect(judgeReach(found, row, given)).toBe(kind);
});

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "heddle-epoch-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function withLog<T>(work: (log: Awaited<ReturnType<typeof openSqliteLog>>) => Promise<T>): Promise<T> {
  const database = openDatabase({ path: join(folder, "heddle.db") });
  const log = await openSqliteLog({ database, partitions: 1, clock: systemClock, reach: openReachFile(folder) });
  try {
    return await work(log);
  } finally {
    await log.close();
    await database.close();
  }
}

function append(count: number): Promise<number[]> {
  return withLog(async (log) => {
    const given: number[] = [];
    for (let at = 0; at < count; at += 1) given.push(await log.append(0, Uint8Array.of(at)));
    return given;
  });
}

test("a log that ended well goes on where it was", async () => {
  expect(await append(3)).toEqual([1, 2, 3]);
  expect(await append(2)).toEqual([4, 5]);
  expect(await withLog((log) => Promise.resolve(log.begins))).toBe(1);
});

test("a log whose process was killed goes on above all that it may have given, in its epoch", async () => {
  await append(3);
  const { logId, number } = openReachFile(folder).load() ?? reach;
  openReachFile(folder).reserve({ logId, number, ceiling: 900, noted: 2 });
  expect(await append(2)).toEqual([901, 902]);
  expect(await withLog(async (log) => [log.begins, await log.tail(0)])).toEqual([1, 902]);
});

test("what lies beside the file is waited for before it is needed, and once for many", async () => {
  const reserved: number[] = [];
  const file = openReachFile(folder);
  const database = openDatabase({ path: join(folder, "heddle.db") });
  const log = await openSqliteLog({
    database,
    partitions: 1,
    clock: systemClock,
    reach: { ...file, reserve: ({ ceiling }) => void reserved.push(ceiling) },
  });
  for (let at = 0; at < 50; at += 1) await log.append(0, Uint8Array.of(1));
  expect(reserved).toEqual([0, 1 + limits.epochReserved]);
  await log.close();
  expect(reserved.at(-1)).toBe(50);
  await database.close();
});

test("a disk that takes no note of how far the log goes ends nothing, and gives out nothing beyond what was reserved", async () => {
  const file = openReachFile(folder);
  const full = Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
  let isFull = true;
  function refuse(): never {
    throw full;
  }
  const database = openDatabase({ path: join(folder, "heddle.db") });
  const reach = { ...file, reserve: (to: Reach) => isFull ? refuse() : file.reserve(to), note: refuse };
  const log = await openSqliteLog({ database, partitions: 1, clock: systemClock, reach });
  for (let at = 0; at < 2; at += 1) await expect(log.append(0, Uint8Array.of(1))).rejects.toMatchObject({ reason: "LOG_FULL" });
  isFull = false;
  expect(await log.append(0, Uint8Array.of(1))).toBe(1);
  expect(file.load()?.ceiling).toBe(1 + limits.epochReserved);
  expect(await log.append(0, Uint8Array.of(2))).toBe(2);
  isFull = true;
  await log.close();
  await database.close();
});

test("files that are damaged say nothing, and the log goes on", async () => {
  await append(3);
  for (const name of ["heddle.reach", "heddle.reach-noted"]) writeFileSync(join(folder, name), "");
  expect(await append(1)).toEqual([4]);
});

test("a log that begins anew keeps its records and its tail, and gives what lies above", async () => {
  await append(3);
  const database = openDatabase({ path: join(folder, "heddle.db") });
  await beginSqliteLogAbove(database, 17, 1);
  await beginSqliteLogAnew(database, systemClock);
  const end = await sqliteLogEnd(database);
  expect(end).toBeGreaterThan(2 ** 40);
  await database.close();
  await withLog(async (log) => {
    expect(await log.tail(0)).toBe(17);
    expect(log.begins).toBe(end + 1);
    expect(await log.append(0, Uint8Array.of(9))).toBe(end + 1);
    expect((await log.read(0, 0, { max: 9, bytesMax: 9 })).map(({ sequence }) => sequence)).toEqual([1, 2, 3, end + 1]);
  });
});
