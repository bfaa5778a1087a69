/** The contract on SQLite, and the lane in the same file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { LaneChanged, type LaneRecord } from "../../../platform/lane/lane.ts";
import { createLaneReader } from "../../../platform/lane/lane-reader.ts";
import { openSqliteLog } from "../../../platform/log/sqlite.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { openSqliteSubscriptionStore } from "./sqlite.ts";
import { describeSubscriptionStore } from "./store-contract.ts";

describeSubscriptionStore("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { given, breakNext } = breakable(database);
  const tables = await openSqliteSubscriptionStore(given);
  const release = () => tables.redriveSetAside(() => []);
  return { ...tables, release, breakNextCommit: breakNext, close: () => database.close() };
});

test("the lane gives records of a workspace in order until they are taken, with their effects or not at all", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { given, breakNext } = breakable(database);
  const tables = await openSqliteSubscriptionStore(given);
  const body = Uint8Array.of(1, 2, 3);
  const record = (sequence: number, workspaceId = "w"): LaneRecord => ({ workspaceId, sequence, part: 0, key: "u", body });
  await send(database, [record(2 ** 41), record(1), record(2), record(1, "v")]);
  const read = tables.lane.read("w", undefined, 10);
  expect(read.map(({ sequence }) => sequence)).toEqual([1, 2, 2 ** 41]);
  expect(new Uint8Array(read[0]?.body ?? [])).toEqual(body);
  expect(tables.lane.read("w", undefined, 1)).toHaveLength(1);
  const step = { workspaces: [], setAside: [{ record: record(1), reason: "no record" }], taken: read.slice(0, 2) };
  breakNext();
  await expect(tables.commit(step)).rejects.toThrow("planted");
  expect(tables.lane.read("w", undefined, 10)).toEqual(read);
  expect(tables.setAsideCount()).toBe(0);
  await tables.commit(step);
  expect(tables.lane.read("w", undefined, 10)).toEqual(read.slice(2));
  expect(tables.lane.read("v", undefined, 10)).toHaveLength(1);
  expect(tables.setAsideCount()).toBe(1);
  await database.close();
});

test.each(["this process", "another one"])("nothing of a step is written where what waits was put back by %s", async (who) => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-lane-"));
  const path = join(folder, "heddle.db");
  const [database, other] = [openDatabase({ path }), openDatabase({ path })];
  const [tables, others] = [await openSqliteSubscriptionStore(database), await openSqliteSubscriptionStore(other)];
  const record = (sequence: number): LaneRecord => ({ workspaceId: "w", sequence, part: 0, key: "u", body: Uint8Array.of(1) });
  await tables.commit({ workspaces: [], setAside: [{ record: record(1), reason: "no record" }], taken: [] });
  await send(database, [record(2)]);
  const taken = tables.lane.read("w", undefined, 10);
  const step = {
    workspaces: [],
    setAside: [{ record: record(2), reason: "Waits for the record at 1.0" }],
    taken,
    returns: tables.lane.returns,
  };
  const readable = { mark: [1, 0] as const, keys: ["u"], said: {}, reason: "", kept: () => record(1) };
  expect(await (who === "this process" ? tables : others).redriveSetAside(() => [readable])).toBe(1);
  await expect(tables.commit(step)).rejects.toThrow(LaneChanged);
  expect(tables.lane.read("w", undefined, 10).map(({ sequence }) => sequence)).toEqual([1, 2]);
  expect(tables.setAsideCount()).toBe(0);
  await Promise.all([database.close(), other.close()]);
  rmSync(folder, { recursive: true });
});

function breakable(database: Database) {
  let isBroken = false;
  const given: Database = {
    write<T>(work: () => T): Promise<T> {
      const breaks = isBroken;
      isBroken = false;
      return database.write(() => {
        const result = work();
        if (breaks) throw new Error("planted");
        return result;
      });
    },
    prepare: (sql: string) => database.prepare(sql),
    handle: database.handle,
    durable: () => database.durable(),
    close: () => database.close(),
  };
  return {
    given,
    breakNext: () => {
      isBroken = true;
    },
  };
}

/** As the resolver's step does. */
async function send(database: Database, records: readonly LaneRecord[]): Promise<void> {
  const sql = `INSERT INTO lane_records (service, workspace_id, sequence, part, lane_key, users, body)
    VALUES ('subscription', ?, ?, ?, ?, ?, ?)`;
  await database.write(() => {
    for (const { workspaceId, sequence, part, key, users = 1, body } of records) {
      database.prepare(sql).run(workspaceId, sequence, part, key, users, body);
    }
  });
}

test("a workspace with many records leaves room for others, which take turns", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { lane } = await openSqliteSubscriptionStore(database);
  const many = Array.from(
    { length: 50 },
    (_, at): LaneRecord => ({ workspaceId: "a", sequence: 1, part: at, key: "u", body: Uint8Array.of() }),
  );
  const few = ["b", "c"].map((workspaceId): LaneRecord => ({ workspaceId, sequence: 1, part: 0, key: "u", body: Uint8Array.of() }));
  await send(database, [...many, ...few]);
  const reader = createLaneReader({ lane, concernOf: ({ workspaceId, part }) => ({ keys: [`${workspaceId}${part}`], isOfMany: false }) });
  const first = reader.next(true)?.records.map(({ workspaceId, part }) => `${workspaceId}${part}`) ?? [];
  expect(first.toSorted()).toEqual(["a0", "a1", "a2", "a3", "a4", "a5", "a6", "b0", "c0"]);
  expect(lane.last("a")).toEqual({ sequence: 1, part: 49 });
  expect([lane.last("x"), lane.first("x"), lane.first("a")]).toEqual([undefined, undefined, { sequence: 1, part: 0 }]);
  await database.close();
});

test("what a build before declared holds from the beginning of the order", async () => {
  const database = openDatabase({ path: ":memory:" });
  await openSqliteSubscriptionStore(database);
  await database.write(() => {
    database.handle.exec("ALTER TABLE subscription_groups DROP COLUMN turns");
    database.handle.exec("UPDATE schema_versions SET version = 4 WHERE name = 'subscription'");
    database.handle.exec("INSERT INTO subscription_groups VALUES ('w', 'a', 'A', 'email', 0), ('w', 'b', 'B', 'sms', 1)");
  });
  const { store } = await openSqliteSubscriptionStore(database);
  expect(await store.groups("w")).toEqual([
    { id: "a", name: "A", channel: "email", archived: false, turns: [0] },
    { id: "b", name: "B", channel: "sms", archived: true, turns: [] },
  ]);
  await database.close();
});

test("a declaration stands at the end of the log, behind what is answered, whoever appends to that", async () => {
  const folder = mkdtempSync(join(tmpdir(), "heddle-groups-"));
  const path = join(folder, "heddle.db");
  const [database, other] = [openDatabase({ path }), openDatabase({ path })];
  const here = await openSqliteSubscriptionStore(database);
  const declared = { id: "g", name: "G", channel: "email" as const, archived: false };
  await here.changeGroups("w", (groups, end) => {
    expect([groups, end]).toEqual([[], 0]);
    return [{ ...declared, turns: [end] }];
  });
  const log = await openSqliteLog({ database: other, partitions: 1, clock: systemClock });
  for (let records = 0; records < 3; records += 1) await log.append(0, Uint8Array.of(1));
  await here.changeGroups("w", (groups, end) => groups.map((group) => ({ ...group, archived: true, turns: [...group.turns, end] })));
  expect(await here.store.groups("w")).toEqual([{ ...declared, archived: true, turns: [0, 3] }]);
  await expect(here.changeGroups("w", () => {
    throw new Error("refused");
  })).rejects.toThrow("refused");
  await log.close();
  await Promise.all([database.close(), other.close()]);
  rmSync(folder, { recursive: true });
});
