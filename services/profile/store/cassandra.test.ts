/** The contracts on Cassandra's rules in memory, the schema's versions, and every statement against the schema. */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import cassandra from "cassandra-driver";
import { expect, test } from "vitest";
import { bucketOfUser, numberedId, numberingOfUser } from "../../../platform/user-number.ts";
import { bucketOf as listOf } from "../../../platform/cassandra/buckets.ts";
import { splitStatements, tablesOf } from "../../../platform/cassandra/cql.ts";
import { readMigrations } from "../../../platform/cassandra/migrate.ts";
import { refusalOf } from "../../../platform/cassandra/outcome.ts";
import { checkPlan, recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { openCassandraProfileStore } from "./cassandra.ts";
import { stampOf } from "./cassandra-values.ts";
import { listEntry } from "./cassandra-writer.ts";
import { describeLists } from "./lists-contract.ts";
import { describeLateWrites } from "./late-writes-contract.ts";
import { cassandraProfileMove } from "./moved-cassandra.ts";
import { describeRejected, large, rejecting } from "./rejected-contract.ts";
import { blockedFrom, changes, describeRows, goneAt, profileOf, recordOf, stateOf } from "./rows-contract.ts";
import { identityTables } from "./statements.ts";
import * as statements from "./statements.ts";
import { type BucketOf, locationOf, statementAt } from "./user-row-location.ts";
import { ownEntries } from "../../../platform/own-entries.ts";

const folder = join(import.meta.dirname, "schema");
const schema = [readFileSync(join(folder, "schema.cql"), "utf8")];

for (const describeStore of [describeRows, describeLists]) {
  describeStore("Cassandra in memory", () => {
    const { store, now, close } = inMemory(fakeClock(), alone);
    return Promise.resolve({ ...store, now, close });
  });
  describeStore("Cassandra in memory, in buckets", () => {
    const { store, now, close } = inMemory(fakeClock(), inBuckets);
    return Promise.resolve({ ...store, now, close });
  });
}
describeLateWrites("Cassandra in memory", () => Promise.resolve(inMemory()));
describeRejected("Cassandra in memory", () => Promise.resolve(rejecting(inMemory())));
describeLateWrites("Cassandra in memory, in buckets", () => Promise.resolve(inMemory(fakeClock(), inBuckets)));
describeRejected("Cassandra in memory, in buckets", () => Promise.resolve(rejecting(inMemory(fakeClock(), inBuckets))));

test("schema: all versions applied, one after the other, are schema.cql", () => {
  const applied = tablesOf(readMigrations(folder).flatMap((migration) => migration.statements));
  expect(applied).toEqual(tablesOf(splitStatements(schema[0] ?? "")));
});

test("statements: each goes to few partitions, has an age, and names only columns of its table", () => {
  const tables = tablesOf(splitStatements(schema[0] ?? ""));
  const all = [
    ...Object.values(statements).filter((value) => typeof value === "string"),
    ...[statements.usersAlone, statements.usersTogether].flatMap((tables) => Object.values(tables).filter((cql) => cql !== tables.scan)),
    ...Object.values(identityTables).flatMap((table) => [table.select, table.selectSome, table.put, table.delete]),
  ];
  expect(all).toHaveLength(35 + 2 * 9 + 48);
  const touched = new Set<string>();
  for (const cql of all) {
    const values = Object.fromEntries([...cql.matchAll(/:(\w+)/g)].map((match) => [match[1] ?? "", ""]));
    checkPlan(tables, { cql, values });
    const table = /(?:FROM|INTO) (\w+)/.exec(cql)?.[1] ?? "";
    touched.add(table);
    const columns = tables.get(table)?.columns ?? new Map();
    for (const name of cql.matchAll(/(\w+) (?:=|>|IN) :/g)) expect(columns.has(name[1] ?? ""), cql).toBe(true);
  }
  // Every keyspace whose rows come from the log has the two of epochs (platform/epoch/watermarks.ts)
  expect([...touched, "log_epochs", "log_marks"].sort()).toEqual([...tables.keys()].sort());
});

test("identities.load() of 50 external ids is one statement, and one key is read by itself", async () => {
  const { store, session } = inMemory();
  await store.identities.load("w", Array.from({ length: 50 }, (_, at) => `x:u${at}` as const));
  expect(session.calls.map(([call]) => call?.cql)).toEqual([identityTables.x.selectSome]);
  await store.identities.load("w", ["x:u1", "x:u1"]);
  expect(session.calls.slice(1).map(([call]) => call?.cql)).toEqual([identityTables.x.select]);
});

test("users with numbers are not brought into a keyspace that is not sealed, where processes of builds before would not find them", async () => {
  const { store, session } = inMemory(fakeClock(), bucketOfUser);
  const [numbered, unnumbered] = [numberedId("w", "0".repeat(24), 1), numberedId("w", "0".repeat(24), 0)];
  const brought = (id: string) => ({ workspaceId: "w", users: [{ profile: profileOf(id, [3, 4]), openMerges: [] }] });
  const move = cassandraProfileMove(session, store, (workspaceId, id) => numberingOfUser(workspaceId, id) !== undefined);
  await move.write(brought(unnumbered), 9);
  expect(session.calls).toHaveLength(2);
  await expect(move.write(brought(numbered), 9)).rejects.toThrow("heddle migrate --seal");
  expect(session.calls).toHaveLength(2);
  await cassandraProfileMove(session, store).write(brought(numbered), 9);
  expect(session.calls).toHaveLength(4);
});

test.each([["alone", alone], ["in buckets", inBuckets]])(
  "a user whose body is empty is gone, as one without a body (%s)",
  async (_, bucketOf) => {
    const { store, session } = inMemory(fakeClock(), bucketOf);
    const [gone, kept] = ["0".repeat(24), "0".repeat(23) + "1"] as const;
    const users = new Map([gone, kept].map((id) => [id, stateOf(profileOf(id, [3, 0]))]));
    await store.profiles.save(changes("w", { users }));
    const location = locationOf("w", gone, bucketOf);
    const state = { body: new Uint8Array(), mark_sequence: 4n, mark_part: 0, open_merges: "[]", stamp: stampOf([4, 0]) };
    await session.execute(statementAt(location.tables.put, location, state));
    expect([...(await store.profiles.load("w", [gone, kept])).keys()]).toEqual([kept]);
    const read = (await store.profiles.loadUsers("w", [gone])).get(gone);
    expect(read).toEqual({ profile: undefined, row: "", blocked: false, openMerges: [], mark: [4, 0] });
    expect((await store.profiles.page("w", "", 9)).map(({ id }) => id)).toEqual([kept]);
    expect((await store.profiles.pageBack("w", "", 9)).map(({ id }) => id)).toEqual([kept]);
  },
);

test("a backup waits for a blocked user whom the list names behind one who is free since", async () => {
  const { store, session } = inMemory();
  const [free = "", blocked = ""] = Array.from({ length: 999 }, (_, at) => `u${at + 100}`).filter((id) => listOf(id) === listOf("u100"));
  await session.execute(listEntry(statements.putBlockedUser, ["w", free], [2, 0]));
  const users = new Map([[free, stateOf(profileOf(free, [3, 0]))]]);
  await store.profiles.save(changes("w", { users, blocked: new Map([[blocked, blockedFrom([4, 0], [recordOf(4, 0)])]]) }));
  // Its scans find nothing here
  const scanned = { ...session, page: () => Promise.resolve({ rows: [], next: undefined }) };
  expect(await cassandraProfileMove(scanned, store).waiting()).toEqual(["users are blocked"]);
});

test("save() writes an ordinary user with one statement of one row, its mark as the age", async () => {
  const { store, session } = inMemory();
  await store.profiles.save(changes("w", { users: new Map([["u1", { ...stateOf(profileOf("u1", [3, 4])), isNew: false }]]) }));
  expect(session.calls).toHaveLength(1);
  expect(session.calls[0]?.map(({ cql, values }) => [cql, values["stamp"]])).toEqual([
    [statements.usersAlone.put, 3n * 65_536n + 4n],
  ]);
});

test("save() lists a new user, and writes what lies elsewhere, before the user's own row", async () => {
  const { store, session } = inMemory();
  const frozen = { source: profileOf("s", [3, 0]), targetBefore: profileOf("u1", [3, 0]), journal: [], undoUntil: 0 };
  await store.profiles.save(changes("w", {
    users: new Map([["u1", stateOf(profileOf("u1", [3, 4]))]]),
    frozen: new Map([["m1", frozen]]),
    journal: new Map([["m1", [recordOf(3, 1)]]]),
    blocked: new Map([["u1", blockedFrom([4, 0], [recordOf(4, 0)])]]),
  }));
  const tables = session.calls.map((call) => call.map(({ cql }) => /INTO (\w+)|FROM (\w+)/.exec(cql)?.slice(1).join("")));
  expect(tables).toEqual([
    ["users_by_workspace"],
    ["held_users_by_bucket"],
    ["frozen_by_merge"],
    ["journal_by_merge"],
    ["held_records_by_user", "profiles_by_user", "held_records_by_user", "profiles_by_user"],
  ]);
});

test("save() that fails half way is mended by repeating it", async () => {
  const { store, session } = inMemory();
  const step = changes("w", { users: new Map([["u1", stateOf(profileOf("u1", [3, 4]))], ["u2", goneAt([3, 5])]]) });
  session.failNext(({ cql }) => cql === statements.usersAlone.put, new Refusal("OUTCOME_UNKNOWN"), "after");
  await expect(store.profiles.save(step)).rejects.toMatchObject({ reason: "OUTCOME_UNKNOWN" });
  await store.profiles.save(step);
  expect((await store.profiles.loadUsers("w", ["u1", "u2"])).get("u1")?.mark).toEqual([3, 4]);
  expect((await store.profiles.page("w", "", 9)).map(({ id }) => id)).toEqual(["u1"]);
});

test("rows that end by themselves: answers and frozen copies with their journal, never handoffs", async () => {
  const { store, clock } = inMemory();
  const end = clock.now() + 1000;
  const source = profileOf("s", [3, 0]);
  const frozen = { source, targetBefore: profileOf("u1", [3, 0]), journal: [recordOf(4, 0)], undoUntil: end };
  const state = { ...stateOf(profileOf("u1", [3, 0])), openMerges: ["m1"] };
  await store.identities.save("w", new Map([["r:k", { expiresAt: end }] as const, ["j:k", {}] as const]), 1);
  await store.profiles.save(
    changes("w", {
      users: new Map([["u1", state]]),
      frozen: new Map([["m1", frozen]]),
      handoffs: new Map([["m2", { source, undoUntil: end }]]),
    }),
  );
  clock.advance(24 * 3600 * 1000);
  expect((await store.profiles.loadFrozen("w", ["m1"])).size).toBe(1);
  clock.advance(3 * 24 * 3600 * 1000);
  expect([...await store.identities.load("w", ["r:k", "j:k"])]).toEqual([["j:k", {}]]);
  expect((await store.profiles.loadFrozen("w", ["m1"])).size).toBe(0);
  expect((await store.profiles.loadUsers("w", ["u1"])).get("u1")?.openMerges).toEqual([]);
  expect((await store.profiles.loadHandoffs("w", ["m2"])).size).toBe(1);
});

test("save() refuses a profile that no row takes, before anything is written", async () => {
  const { store, session } = inMemory();
  const profile = profileOf("u1", [3, 4]);
  ownEntries(profile, "custom").set("noise", randomBytes(13_000_000).toString("base64"));
  await expect(store.profiles.save(changes("w", { users: new Map([["u1", stateOf(profile)]]) }))).rejects.toThrow(
    "Expected a profile of at most",
  );
  expect(session.calls).toEqual([]);
});

test("rows that end by themselves end by a clock that does not jump", async () => {
  const steady = fakeClock();
  const clock = { ...steady, aheadMs: 0, now: () => steady.now() + clock.aheadMs };
  const { store, session } = inMemory(clock);
  const [hourMs, dayMs] = [3_600_000, 24 * 3_600_000];
  clock.aheadMs = 30 * dayMs;
  const expiresAt = steady.now() + hourMs;
  await store.identities.save("w", new Map([["r:k", { bodyHash: "b", answer: "", sequence: 1, expiresAt }]]), 1);
  const source = profileOf("s", [3, 0]);
  const merge = { source, targetBefore: profileOf("t", [3, 1]), journal: [], undoUntil: expiresAt };
  await store.profiles.save(changes("w", { frozen: new Map([["m", merge]]) }));
  const seconds = session.calls.flat().map(({ values }) => Number(values["ttl"])).filter((ttl) => !Number.isNaN(ttl));
  expect(seconds).toEqual([3_600, 3_600].map((left) => left + limits.cassandraGraceSeconds));
});

test("a late write of before does not bring back who is rejected no longer", async () => {
  const { store } = inMemory();
  const { save, profiles } = rejecting({ store, close: () => Promise.resolve() });
  const [before, after] = [new Map([["u1", large("u1", [3, 0])]]), new Map([["u1", null]])];
  await save("w", before, [3, 0]);
  await save("w", after, [4, 0]);
  await save("w", before, [3, 0]);
  expect(await profiles.listRejected(9)).toEqual([]);
});

test.each([
  {
    what: "that do not come together, or not in time, are read in halves",
    cause: new cassandra.errors.OperationTimedOutError("late"),
    reads: 3,
  },
  { what: "of a store that is away are asked for once", cause: new cassandra.errors.NoHostAvailableError({}), reads: 1 },
])("rows of users $what", async ({ cause, reads }) => {
  const { store, session } = inMemory(fakeClock(), () => 0);
  const ids = Array.from({ length: 20 }, (_, at) => `u${at}`);
  await store.profiles.save(changes("w", { users: new Map(ids.map((id) => [id, stateOf(profileOf(id, [3, 4]))])) }));
  const before = session.calls.length;
  session.failNext(() => true, refusalOf(cause, "read"));
  const found = await store.profiles.load("w", ids).then(({ size }) => size, () => 0);
  expect([found, session.calls.length - before]).toEqual([reads === 1 ? 0 : ids.length, reads]);
});

test("listRejected() keeps who is written while it reads", async () => {
  const { store, session } = inMemory();
  const { save } = rejecting({ store, close: () => Promise.resolve() });
  await save("w", new Map([["u1", large("u1", [3, 0])]]), [3, 0]);
  const { profiles } = openCassandraProfileStore({
    clock: fakeClock(),
    partitions: 4,
    bucketOf: bucketOfUser,
    session: {
      ...session,
      async page(...read) {
        const page = await session.page(...read);
        await save("w", new Map([["u1", large("u1", [4, 0])]]), [4, 0]);
        return page;
      },
    },
  });
  expect(await profiles.listRejected(9)).toMatchObject([{ id: "u1" }]);
  expect(await store.profiles.listRejected(9)).toMatchObject([{ id: "u1" }]);
});

/** No user has a number. */
function alone(): undefined {
  return undefined;
}

/** Several users a bucket, and ids that rise with it. */
function inBuckets(_workspaceId: string, id: string): number {
  return /^[0-9a-f]{24}$/.test(id) ? Math.floor(Number.parseInt(id, 16) / 500_000) : 0;
}

function inMemory(clock = fakeClock(), bucketOf: BucketOf = bucketOfUser) {
  const session = recordingSession(schema, openReplicas({ schema, now: () => clock.now() }).session());
  const store = openCassandraProfileStore({ session, clock, partitions: 4, bucketOf });
  return { store, session, clock, now: clock.now(), close: () => session.close() };
}
