/** The store of dashboard users against its contracts, over documents in SQLite and in tables of the mesh, in memory; folders of earlier builds. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { memorySession } from "../../../platform/cassandra/memory-session.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { migrate } from "../../../platform/sqlite/migrate.ts";
import { someUser } from "../domain/user.fixture.ts";
import { openCassandraScim } from "./cassandra.ts";
import { openSqliteScim } from "./documents.ts";
import { scimTables } from "./earlier-tables.ts";
import { describeScimMove } from "./moved-contract.ts";
import { openOutbox } from "./outbox.ts";
import { openRequestLog } from "./request-log.ts";
import { describeUsers } from "./users-contract.ts";
import { openUsers } from "./users.ts";

const schema = readFileSync(join(import.meta.dirname, "schema/v0001/directory.cql"), "utf8");
const clock = fakeClock(Date.UTC(2026, 0, 1, 12));

async function inSqlite() {
  const database = openDatabase({ path: ":memory:" });
  return { documents: await openSqliteScim(database, clock), clock, close: () => database.close() };
}

async function inMemory() {
  const session = recordingSession([schema], memorySession([schema]).session);
  return { documents: openCassandraScim(session, clock), clock, close: async () => {} };
}

describeUsers("SQLite", inSqlite);
describeScimMove("SQLite", inSqlite);
describeUsers("Cassandra, in memory", inMemory);
describeScimMove("Cassandra, in memory", inMemory);

test("entries of the log go when they were kept long enough, as others come", async () => {
  const database = openDatabase({ path: ":memory:" });
  const ticking = fakeClock(clock.now());
  const log = openRequestLog(await openSqliteScim(database, ticking), ticking);
  const entry = { companyId: "co-1", requestId: "r", tokenId: "t", origin: "o", method: "GET", target: "/", outcome: "" };
  const rows = () => database.prepare("SELECT count(*) AS count FROM documents WHERE kind = 'log'").all()[0]?.["count"];
  await log.append([{ ...entry, at: ticking.now() }]);
  ticking.advance(limits.scimLogKeepMs);
  await log.append([{ ...entry, at: ticking.now() }]);
  expect(rows()).toBe(1);
  expect(await log.newest({ companyId: "co-1", limit: 9 })).toEqual([{ ...entry, at: ticking.now() }]);
  await database.close();
});

test("tables of the build before are taken over: users, counts, marks, events and the log", async () => {
  const database = openDatabase({ path: ":memory:" });
  await migrate(database, "scim", scimTables.slice(0, 1));
  const user = { ...someUser(), companyId: "co-1", externalId: "x-1", revision: 4 };
  const { companyId, id, userNameKey, revision, ...body } = user;
  const insert = (sql: string, ...values: (string | number)[]) => void database.prepare(sql).run(...values);
  insert("INSERT INTO scim_users VALUES (1, ?, ?, ?, ?, ?, ?)", companyId, userNameKey, id, "x-1", revision, JSON.stringify(body));
  insert("INSERT INTO scim_companies VALUES ('co-1', 1, 9, 3)");
  const answer = { userJson: "{}", id, etag: "e" };
  insert("INSERT INTO scim_remembered VALUES ('co-1', 'h', 'b', ?, ?)", JSON.stringify(answer), clock.now() + 1);
  const event = (name: string) => ({ eventId: name, companyId, userId: "gone", userName: "gone@x.de", deletedAt: 5 });
  for (const name of ["e-1", "e-2"]) insert("INSERT INTO scim_outbox (event) VALUES (?)", JSON.stringify(event(name)));
  const entry = { requestId: "r", tokenId: "t", origin: "o", method: "GET", target: "/", outcome: "", status: 404 };
  for (const place of [1, 2, 3]) {
    insert("INSERT INTO scim_log VALUES ('co-1', ?, ?, ?)", place, clock.now() - 9 + place, JSON.stringify(entry));
  }
  const documents = await openSqliteScim(database, clock);
  const [users, log, outbox] = [openUsers(documents), openRequestLog(documents, clock), openOutbox(documents)];
  expect(await users.byId("co-1", id)).toEqual(user);
  expect(await users.byUserName("co-1", userNameKey)).toEqual(user);
  expect(await users.byExternalId("co-1", "x-1")).toEqual([user]);
  expect(await users.skip("co-1", { descending: false, count: 1 })).toBe(userNameKey);
  expect(await users.census("co-1")).toEqual({ users: 1, changes: 9 });
  expect(await users.remembered("co-1", "h", clock.now())).toEqual({ requestHash: "h", bodyHash: "b", answer, expiresAt: clock.now() + 1 });
  expect(await log.newest({ companyId, limit: 2 })).toEqual([3, 2].map((place) => ({ ...entry, companyId, at: clock.now() - 9 + place })));
  expect(await users.commit({ companyId, before: user, event: event("e-3") })).toBe("committed");
  expect((await outbox.next("co-1", { limit: 9 })).map(({ event: { eventId } }) => eventId)).toEqual(["e-1", "e-2", "e-3"]);
  await database.close();
});
