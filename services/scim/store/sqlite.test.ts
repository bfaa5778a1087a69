/** The embedded store of users: the suite that all drivers pass, its plans, and its bounds. */
import { afterEach, beforeEach, expect, test } from "vitest";
import { systemClock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import { someUser } from "../domain/user.fixture.ts";
import { describeScimMove } from "./moved-contract.ts";
import { sqliteScimMove } from "./moved-sqlite.ts";
import { appendLog, openSqliteRequestLog } from "./sqlite-log.ts";
import { openSqliteOutbox } from "./sqlite-outbox.ts";
import { openSqliteUsers } from "./sqlite.ts";
import { describeUsers } from "./users-contract.ts";

describeUsers("sqlite", async () => {
  const database = openDatabase({ path: ":memory:" });
  return {
    users: await openSqliteUsers(database),
    outbox: openSqliteOutbox(database),
    log: openSqliteRequestLog(database),
    close: () => database.close(),
  };
});

describeScimMove("sqlite", async () => {
  const database = openDatabase({ path: ":memory:" });
  const users = await openSqliteUsers(database);
  const now = Date.UTC(2026, 0, 1);
  return {
    users,
    outbox: openSqliteOutbox(database),
    log: openSqliteRequestLog(database),
    move: sqliteScimMove({ database, users, clock: { ...systemClock, now: () => now } }),
    now,
    close: () => database.close(),
  };
});

let database: Database;
beforeEach(async () => {
  database = openDatabase({ path: ":memory:" });
  await openSqliteUsers(database);
});
afterEach(() => database.close());

for (
  const [what, sql] of [
    ["a user by id", "SELECT body FROM scim_users WHERE company_id = 'c' AND id = 'i'"],
    ["a user by name", "SELECT body FROM scim_users WHERE company_id = 'c' AND user_name_key = 'k'"],
    ["a user by externalId", "SELECT body FROM scim_users WHERE company_id = 'c' AND external_id = 'e'"],
    ["a page", "SELECT body FROM scim_users WHERE company_id = 'c' AND user_name_key > 'k' ORDER BY user_name_key LIMIT 5"],
    ["a page backwards", "SELECT body FROM scim_users WHERE company_id = 'c' AND user_name_key < 'k' ORDER BY user_name_key DESC LIMIT 5"],
    [
      "a skip",
      "SELECT user_name_key FROM scim_users WHERE company_id = 'c' AND user_name_key > 'k' ORDER BY user_name_key LIMIT 1 OFFSET 5",
    ],
  ] as const
) {
  test(`the index answers ${what}`, () => {
    const plan = database.handle.prepare(`EXPLAIN QUERY PLAN ${sql}`).all().map((row) => String(row["detail"])).join("\n");
    expect(plan).toMatch(/SEARCH scim_users USING (COVERING )?INDEX/);
    expect(plan).not.toMatch(/SCAN|TEMP B-TREE/);
  });
}

test("appendLog() lets old entries and those over the number go", async () => {
  const now = Date.UTC(2026, 5, 1);
  const log = openSqliteRequestLog(database);
  const entry = { companyId: "co-1", requestId: "r", tokenId: "t", origin: "o", method: "GET", target: "/", outcome: "" };
  await database.write(() => {
    for (let days = 40; days >= 0; days -= 1) appendLog(database, { ...entry, at: now - days * 86_400_000, userId: someUser().id });
    appendLog(database, { ...entry, companyId: "co-2", at: now - limits.scimLogKeepMs * 2 });
  });
  const kept = await log.newest({ companyId: "co-1", limit: 100 });
  expect(kept).toHaveLength(31);
  expect(kept[0]?.at).toBe(now);
  expect(await log.newest({ companyId: "co-2", limit: 100 })).toHaveLength(1);
  database.prepare("UPDATE scim_companies SET log_sequence = ? WHERE company_id = 'co-2'").run(limits.scimLogEntriesMax - 1);
  await database.write(() => appendLog(database, { ...entry, companyId: "co-2", at: 0 }));
  expect(await log.newest({ companyId: "co-2", limit: 100 })).toHaveLength(2);
  await database.write(() => appendLog(database, { ...entry, companyId: "co-2", at: 0 }));
  expect(await log.newest({ companyId: "co-2", limit: 100 })).toHaveLength(2);
  expect(await log.newest({ companyId: "co-1", limit: 100, about: "nobody" })).toEqual([]);
  expect(await log.newest({ companyId: "co-1", limit: 2, about: someUser().id })).toHaveLength(2);
});
