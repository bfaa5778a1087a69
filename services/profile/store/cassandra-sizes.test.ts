/** What is too large to come from Cassandra together, or to go there together. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import type { Row, Session } from "../../../platform/cassandra/session.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import { bucketOfUser, numberedId } from "../../../platform/user-number.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import { type CassandraProfileStore, openCassandraProfileStore } from "./cassandra.ts";
import { blockedFrom, changes, profileOf, recordOf, stateOf } from "./rows-contract.ts";
import { usersAlone } from "./statements.ts";

const schema = [readFileSync(join(import.meta.dirname, "schema", "schema.cql"), "utf8")];

test("users of a bucket with rows that are too large to come together are read all the same, and listed", async () => {
  const { profiles } = ofLittle();
  const ids = Array.from({ length: 30 }, (_, at) => numberedId("w", at.toString(16).padStart(12, "0") + "0".repeat(12), at + 1));
  const large = (id: string) => ({ ...profileOf(id, [3, 4]), custom: new Map([["text", "x".repeat(1_500)]]) });
  await profiles.save(changes("w", { users: new Map(ids.map((id) => [id, stateOf(large(id))])) }));
  expect([...(await profiles.loadUsers("w", ids)).values()].map(({ profile }) => profile?.id)).toEqual(ids);
  expect([...(await profiles.load("w", ids)).keys()]).toEqual(ids);
  expect((await profiles.page("w", "", 20)).map(({ id }) => id)).toEqual(ids.slice(0, 20));
  expect((await profiles.pageBack("w", "", 20)).map(({ id }) => id)).toEqual(ids.toReversed().slice(0, 20));
});

test("a journal and records that wait, too large to come together, are read all the same", async () => {
  const { profiles } = ofLittle();
  const records = Array.from({ length: 30 }, (_, at) => ofBytes(1_500, recordOf(4, at)));
  await profiles.save(changes("w", {
    frozen: new Map([["m1", { source: profileOf("s", [3, 0]), targetBefore: profileOf("u1", [3, 0]), journal: [], undoUntil: 0 }]]),
    journal: new Map([["m1", records]]),
    blocked: new Map([["u1", blockedFrom([4, 0], records)]]),
  }));
  expect((await profiles.loadFrozen("w", ["m1"])).get("m1")?.journal).toEqual(records);
  expect((await profiles.loadBlocked("w", ["u1"])).get("u1")?.records).toEqual(records);
});

test("a merge with a large journal is written in parts, as a backup brings it", async () => {
  const session = recordingSession(schema, openReplicas({ schema, now: () => 0 }).session());
  const { profiles } = openCassandraProfileStore({ session, clock: fakeClock(), partitions: 4, bucketOf: bucketOfUser });
  const journal = Array.from({ length: 50 }, (_, at) => ofBytes(at < 5 ? 400_000 : 100, recordOf(4, at)));
  const merge = { source: profileOf("s", [3, 0]), targetBefore: profileOf("u1", [3, 0]), journal, undoUntil: 0 };
  await profiles.save(changes("w", { frozen: new Map([["m1", merge]]) }));
  const sizes = session.calls.map((call) => call.reduce((sum, { values: { body } }) => sum + String(body ?? "").length, 0));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(limits.cassandraBatchBytesMax);
  expect(session.calls.length).toBeLessThan(10);
  expect((await profiles.loadFrozen("w", ["m1"])).get("m1")).toEqual(merge);
});

test("dead letters that are too large to come together are listed, and each is read", async () => {
  const { identities, profiles } = ofLittle();
  const records = Array.from(
    { length: 30 },
    (_, at) => ({ partition: 1, sequence: at, reason: "why", body: new Uint8Array(1_500).fill(at) }),
  );
  await identities.setAside(records);
  const listed = await profiles.listSetAside(30);
  expect(await Promise.all(listed.map((place) => profiles.loadDeadLetter(place)))).toEqual(records);
});

test("a listing of dead letters reads no partition behind the one that ends it", async () => {
  const session = recordingSession(schema, openReplicas({ schema, now: () => 0 }).session());
  const { identities, profiles } = openCassandraProfileStore({ session, clock: fakeClock(), partitions: 4, bucketOf: bucketOfUser });
  await identities.setAside([1, 2, 3].map((partition) => ({ partition, sequence: 7, reason: "why", body: Uint8Array.of(1) })));
  const before = session.calls.length;
  expect(await profiles.listSetAside(2, { partition: 1, sequence: 6 })).toMatchObject([{ partition: 1 }, { partition: 2 }]);
  expect(session.calls.slice(before).map(([read]) => read?.values["log_partition"])).toEqual([1, 2]);
});

test("who is blocked is listed without what waits: of each user one row is read", async () => {
  const session = recordingSession(schema, openReplicas({ schema, now: () => 0 }).session());
  const { profiles } = openCassandraProfileStore({ session, clock: fakeClock(), partitions: 4, bucketOf: bucketOfUser });
  const users = new Map([["u1", stateOf(profileOf("u1", [3, 0]))]]);
  await profiles.save(changes("w", { users, blocked: new Map([["u1", blockedFrom([4, 0], [recordOf(4, 0)])]]) }));
  const before = session.calls.length;
  expect(await profiles.listBlocked(9)).toEqual([{ workspaceId: "w", userId: "u1", reason: "why" }]);
  const reads = session.calls.slice(before).flat().filter(({ cql }) => !cql.includes("held_users_by_bucket"));
  expect(reads.map(({ cql }) => cql)).toEqual([usersAlone.selectMark]);
});

function ofBytes(bytes: number, record: ProfileRecord): ProfileRecord {
  return { ...record, change: { type: "event", name: "x".repeat(bytes), time: 1 } };
}

/** A store that does not answer in time with more than 4,000 bytes of bodies. */
function ofLittle(): CassandraProfileStore {
  const replicas = openReplicas({ schema, now: () => 0 }).session();
  function checked(rows: readonly Row[]): void {
    const bytes = rows.reduce((sum, { body }) => sum + (body instanceof Uint8Array || typeof body === "string" ? body.length : 0), 0);
    if (bytes > 4_000) throw new Refusal("STORE_UNAVAILABLE", "The store did not answer in time");
  }
  const session: Session = {
    ...replicas,
    async execute(statement) {
      const rows = await replicas.execute(statement);
      checked(rows);
      return rows;
    },
    async page(...read) {
      const page = await replicas.page(...read);
      checked(page.rows);
      return page;
    },
  };
  return openCassandraProfileStore({ session, clock: fakeClock(), partitions: 4, bucketOf: bucketOfUser });
}
