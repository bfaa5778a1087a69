/** The contract on SQLite, and groups in the order of the log. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { openSqliteLog } from "../../../platform/log/sqlite.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { openSqliteSubscriptionStore } from "./sqlite.ts";
import { describeSubscriptionStore } from "./store-contract.ts";

describeSubscriptionStore("SQLite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const { given, breakNext } = breakable(database);
  const tables = await openSqliteSubscriptionStore(given);
  return { ...tables, release: (record) => tables.forgetSetAside([record]), breakNextCommit: breakNext, close: () => database.close() };
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
