/** The contracts on a real Cassandra, in tables made by the migrations. */
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { bucketOfUser } from "../../../platform/user-number.ts";
import { openTables } from "../../../platform/cassandra/contract-session.fixture.ts";
import { systemClock } from "../../../platform/clock.ts";
import { describeWith } from "../../../test/servers/require.ts";
import { sharedCassandra } from "../../../test/servers/shared-cassandra.ts";
import { openCassandraProfileStore } from "./cassandra.ts";
import { stampOf } from "./cassandra-values.ts";
import { fillNames } from "./fill-names.ts";
import { describeLists } from "./lists-contract.ts";
import { describeLateWrites } from "./late-writes-contract.ts";
import { cassandraProfileMove } from "./moved-cassandra.ts";
import { describeProfileMove } from "./moved-contract.ts";
import { describeRejected, rejecting } from "./rejected-contract.ts";
import { blockedFrom, changes, describeRows, profileOf, recordOf, stateOf } from "./rows-contract.ts";
import { identityTables } from "./statements.ts";
import { type BucketOf, locationOf, statementAt } from "./user-row-location.ts";

const hookMs = 240_000;

await describeWith(["cassandra"], "profile store on a real Cassandra", () => {
  describe("one server", () => {
    describeRows("Cassandra, users alone", () => open("rows", () => undefined), hookMs);
    describeRows("Cassandra, users in buckets", () => open("together", inBuckets), hookMs);
    describeLists("Cassandra, users alone", () => open("lists", () => undefined), hookMs);
    describeLists("Cassandra, users in buckets", () => open("lists_together", inBuckets), hookMs);
    test("fillNames() lists names that a build before did not list, and none that went since", { timeout: hookMs }, async () => {
      const { session, identities, close } = await open("filled");
      const { put } = identityTables.x;
      for (const name of ["ann", "anna", "bob"]) {
        const values = { workspace_id: "w", external_id: name, value: "u1", stamp: 5n };
        await session.execute({ cql: put, values });
      }
      await identities.save("w", new Map<IdentityKey, unknown>([["e:ann@example.com", []], ["x:gone", "u1"]]), 6);
      await identities.save("w", new Map<IdentityKey, unknown>([["x:anna", undefined], ["x:gone", undefined]]), 7);
      for (let run = 0; run < 2; run += 1) {
        expect(await fillNames(session)).toBe(3);
        expect(await identities.listNames("w", "x", { prefix: "", max: 9 })).toEqual(["ann", "bob"]);
        expect(await identities.listNames("w", "e", { prefix: "ann@", max: 9 })).toEqual(["ann@example.com"]);
      }
      await close();
    });
    test("users whose body is empty are gone, also for a backup", { timeout: hookMs }, async () => {
      const bucketOf = (_: string, id: string) => (id < "u01" ? undefined : 7);
      const { session, store, close } = await open("emptied", bucketOf);
      const ids = ["u00", "u001", "u01", "u02"];
      await store.profiles.save(changes("w", { users: new Map(ids.map((id) => [id, stateOf(profileOf(id, [3, 0]))])) }));
      for (const id of ["u00", "u01"]) {
        const location = locationOf("w", id, bucketOf);
        const state = { body: new Uint8Array(), mark_sequence: 4n, mark_part: 0, open_merges: "[]", stamp: stampOf([4, 0]) };
        await session.execute(statementAt(location.tables.put, location, state));
      }
      const kept = ["u001", "u02"];
      expect([...(await store.profiles.load("w", ids)).keys()]).toEqual(kept);
      expect((await store.profiles.page("w", "", 9)).map(({ id }) => id)).toEqual(kept);
      const moved = await Array.fromAsync(cassandraProfileMove(session, store).read(new Set(["w"])));
      expect(moved.flatMap(({ users = [] }) => users.map(({ profile }) => profile.id))).toEqual(kept);
      await close();
    });
    describeProfileMove("Cassandra", async () => {
      const { session, ...opened } = await open("moved", (_, id) => (id < "u01" ? undefined : 7));
      return {
        ...opened,
        move: cassandraProfileMove(session, opened.store),
        async hold(workspaceId) {
          const blocked = blockedFrom([5, 0], [recordOf(9, 0)]);
          await opened.profiles.save(changes(workspaceId, { blocked: new Map([["u1", blocked]]) }));
        },
      };
    }, hookMs);
    describeLateWrites("Cassandra", () => open("late"), hookMs);
    describeLateWrites("Cassandra, users in buckets", () => open("late_together", inBuckets), hookMs);
    describeRejected("Cassandra, users alone", async () => rejecting(await open("rejected", () => undefined)), hookMs);
    describeRejected("Cassandra, users in buckets", async () => rejecting(await open("rejected_together", inBuckets)), hookMs);
  });
});

/** Several users a bucket, and ids that rise with it. */
function inBuckets(_workspaceId: string, id: string): number {
  return /^[0-9a-f]{24}$/.test(id) ? Math.floor(Number.parseInt(id, 16) / 500_000) : 0;
}

async function open(keyspace: string, bucketOf: BucketOf = bucketOfUser) {
  const session = await openTables(await sharedCassandra(), keyspace, join(import.meta.dirname, "schema"));
  const store = openCassandraProfileStore({ session, clock: systemClock, partitions: 4, bucketOf });
  return { ...store, store, session, now: systemClock.now(), close: () => session.close() };
}
