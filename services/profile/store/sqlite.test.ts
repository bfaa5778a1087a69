/** Steps on SQLite: what is decided, what it does to users and how far the log is read, all or none. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type Database, openDatabase } from "../../../platform/sqlite/database.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type { ConsentRecord, FrozenMerge, ProfileStore } from "../domain/ports.ts";
import { laneRows } from "../lanes/lane-message.ts";
import { blockedFrom, changes, profileOf, recordOf, stateOf } from "./rows-contract.ts";
import { sqliteProfiles, stepOf } from "./sqlite-writer.fixture.ts";
import { openSqliteProfileStore, type ProfileTables } from "./sqlite.ts";

let database: Database;
let store: ProfileTables;
let isBroken = false;

beforeEach(async () => {
  database = openDatabase({ path: ":memory:" });
  isBroken = false;
  store = await openSqliteProfileStore({ database: breakable(database), encodeLane: laneRows });
});
afterEach(() => database.close());

/** Whose next write fails half way where `isBroken` says so. */
function breakable(given: Database): Database {
  return {
    write(work) {
      const breaks = isBroken;
      isBroken = false;
      return given.write(() => {
        const result = work();
        if (breaks) throw new Error("planted");
        return result;
      });
    },
    prepare: (sql) => given.prepare(sql),
    handle: given.handle,
    durable: () => given.durable(),
    close: () => given.close(),
  };
}

function lanes(service: string): number {
  return Number(database.prepare("SELECT count(*) AS count FROM lane_messages WHERE service = ?").get(service)?.["count"]);
}

describe("profile store on SQLite", () => {
  test("checkpoint() is 0 at the start, then that of the last commit, per partition", async () => {
    expect(await store.steps.checkpoint(0)).toBe(0);
    await store.steps.commit(stepOf({}, { partition: 0, through: 7 }));
    await store.steps.commit(stepOf({}, { partition: 1, through: 2 ** 41 }));
    expect([await store.steps.checkpoint(0), await store.steps.checkpoint(1)]).toEqual([7, 2 ** 41]);
  });

  test("identity keys that differ after a NUL or in case are different rows", async () => {
    const rows = new Map<IdentityKey, unknown>([["a:l\u0000x", 1], ["a:l\u0000X", 2], ["a:l\u0000", 3], ["a:l", 4]]);
    await store.steps.commit(stepOf({ identities: rows }));
    expect(await store.identities.load("w", [...rows.keys()])).toEqual(rows);
  });

  test("listExpired() gives merges whose window is over, page by page", async () => {
    const frozen = new Map([["m2", frozenOf(10)], ["m1", frozenOf(10)], ["m0", frozenOf(12)], ["m3", frozenOf(1_000)]]);
    await sqliteProfiles(store).save(changes("w", { frozen }));
    expect(await store.steps.listExpired(10, 5)).toEqual([]);
    const first = await store.steps.listExpired(13, 1);
    expect(first).toEqual([{ workspaceId: "w", mergeId: "m1", undoUntil: 10 }]);
    expect((await store.steps.listExpired(13, 5, first[0])).map(({ mergeId }) => mergeId)).toEqual(["m2", "m0"]);
  });

  test("listExpiredRows() gives answers and jobs that ended, of what was written last", async () => {
    const rows = [["r:a", { expiresAt: 10 }], ["j:b", { expiresAt: 5 }], ["r:c", { expiresAt: 11 }], ["x:d", "id"]] as const;
    await store.steps.commit(stepOf({ identities: new Map<IdentityKey, unknown>(rows) }));
    expect(await store.steps.listExpiredRows(4, 5)).toEqual([]);
    expect(await store.steps.listExpiredRows(10, 1)).toEqual([{ workspaceId: "w", key: "j:b" }]);
    await store.steps.commit(stepOf({ identities: new Map<IdentityKey, unknown>([["r:a", { expiresAt: 20 }], ["j:b", undefined]]) }));
    expect(await store.steps.listExpiredRows(11, 5)).toEqual([{ workspaceId: "w", key: "r:c" }]);
  });

  test("latestNow() is the highest now of the steps, per partition", async () => {
    expect(await store.steps.latestNow(0)).toBe(0);
    await store.steps.commit({ ...stepOf({}), now: 7 });
    await store.steps.commit({ ...stepOf({}), now: 5 });
    await store.steps.commit(stepOf({}));
    expect([await store.steps.latestNow(0), await store.steps.latestNow(1)]).toEqual([7, 0]);
  });

  test("consent goes to the lane of the service that owns it", async () => {
    await store.steps.commit(stepOf({ consent }));
    expect([lanes("subscription"), lanes("messaging-status")]).toEqual([1, 1]);
  });

  test("a step is written whole or not at all, and a repeat of it is harmless", async () => {
    const step = stepOf({ identities: new Map([["x:a", "u1"]]), consent }, { partition: 0, through: 3 });
    const work = store.steps.work();
    await work.save(
      changes("w", {
        users: new Map([["u1", stateOf(profileOf("u1", [1, 0]))]]),
        handoffs: new Map([["m2", { source: profileOf("u3", [1, 0]), undoUntil: 0 }]]),
        frozen: new Map([["m1", frozenOf(1)]]),
        journal: new Map([["m1", [recordOf(1, 1)]]]),
        blocked: new Map([["u2", blockedFrom([1, 0], [recordOf(1, 0)])]]),
      }),
    );
    isBroken = true;
    await expect(store.steps.commit(step, { work })).rejects.toThrow("planted");
    expect(await store.steps.checkpoint(0)).toBe(0);
    expect((await store.identities.load("w", ["x:a"])).size + (await store.profiles.load("w", ["u1"])).size).toBe(0);
    await store.steps.commit(step, { work });
    await store.steps.commit(step, { work });
    expect(await store.steps.checkpoint(0)).toBe(3);
    expect((await store.profiles.loadFrozen("w", ["m1"])).get("m1")?.journal).toHaveLength(1);
    expect((await store.profiles.loadBlocked("w", ["u2"])).get("u2")?.records).toHaveLength(1);
    expect((await store.steps.work().loadHandoffs("w", ["m2"])).size).toBe(1);
    // What is sent twice is in once: appliers pass over records by their places
    expect(lanes("subscription")).toBe(2);
  });
});

describe("a unit of work on SQLite", () => {
  const gone = { ...stateOf(profileOf("u1", [2, 0])), profile: null };

  test("sees what was saved in it, each time as new objects, and nobody else does before it is committed", async () => {
    const work = store.steps.work();
    const profile = profileOf("u1", [1, 0]);
    const blocked = blockedFrom([3, 0], [recordOf(3, 0)]);
    await work.save(changes("w", { users: new Map([["u1", stateOf(profile)]]), blocked: new Map([["u1", blocked]]) }));
    const [one, other] = [await work.loadUsers("w", ["u1"]), await work.loadUsers("w", ["u1"])];
    expect(one.get("u1")).toMatchObject({ profile, blocked: true, mark: [1, 0] });
    expect(one.get("u1")?.profile).not.toBe(other.get("u1")?.profile);
    expect((await work.loadBlocked("w", ["u1"])).get("u1")?.records).toEqual([recordOf(3, 0)]);
    expect((await store.profiles.loadUsers("w", ["u1"])).get("u1")).toMatchObject({ profile: undefined, blocked: false });
    await store.steps.commit(stepOf({}), { work });
    expect((await store.profiles.loadUsers("w", ["u1"])).get("u1")).toEqual(one.get("u1"));
  });

  test("reads by the port that the caller looks at", async () => {
    const asked: string[] = [];
    const observed = (profiles: ProfileStore): ProfileStore => ({
      ...profiles,
      loadUsers(workspaceId, ids) {
        asked.push(...ids);
        return profiles.loadUsers(workspaceId, ids);
      },
    });
    const { steps } = await openSqliteProfileStore({ database, encodeLane: laneRows, observed });
    await steps.work().loadUsers("w", ["u1", "u2"]);
    expect(asked).toEqual(["u1", "u2"]);
  });

  test("lets records go up to the state's mark, those stored and its own, and keeps the others", async () => {
    const stored = blockedFrom([3, 0], [recordOf(2, 0), recordOf(3, 0)]);
    await sqliteProfiles(store).save(changes("w", { blocked: new Map([["u1", stored]]) }));
    const work = store.steps.work();
    await work.loadUsers("w", ["u1"]);
    await work.save(changes("w", { blocked: new Map([["u1", blockedFrom([4, 0], [recordOf(2, 1), recordOf(4, 0)])]]) }));
    await work.save(changes("w", { users: new Map([["u1", gone]]), blocked: new Map([["u1", blockedFrom([4, 0], [])]]) }));
    expect((await work.loadBlocked("w", ["u1"])).get("u1")?.records).toEqual([recordOf(2, 1), recordOf(3, 0), recordOf(4, 0)]);
    await store.steps.commit(stepOf({}), { work });
    expect((await store.profiles.loadBlocked("w", ["u1"])).get("u1")?.records).toEqual([recordOf(2, 1), recordOf(3, 0), recordOf(4, 0)]);
  });

  test("forgets a merge with all that was journaled for it, and takes no more for it", async () => {
    const work = store.steps.work();
    await work.save(changes("w", { frozen: new Map([["m1", frozenOf(1)]]), journal: new Map([["m1", [recordOf(2, 0)]]]) }));
    expect((await work.loadFrozen("w", ["m1"])).get("m1")?.journal).toEqual([recordOf(2, 0)]);
    await work.forgetMerges("w", ["m1"]);
    await work.save(changes("w", { journal: new Map([["m1", [recordOf(3, 0)]]]) }));
    expect((await work.loadFrozen("w", ["m1"])).size).toBe(0);
    await store.steps.commit(stepOf({}), { work });
    expect((await store.profiles.loadFrozen("w", ["m1"])).size).toBe(0);
  });

  test("keeps nothing of a user whose row cannot be made", async () => {
    const work = store.steps.work();
    const odd = { ...profileOf("u2", [1, 0]), revenue: new Map([["USD", undefined as never]]) };
    const users = new Map([["u1", stateOf(profileOf("u1", [1, 0]))], ["u2", stateOf(odd)]]);
    await expect(work.save(changes("w", { users }))).rejects.toBeInstanceOf(TypeError);
    expect((await work.loadUsers("w", ["u1"])).get("u1")?.profile).toBeUndefined();
  });
});

const consent: readonly ConsentRecord[] = [
  { sequence: 3, part: 0, at: 1, requestId: "r", actor: "k", type: "membership", userId: "u1", groupId: "g", state: "subscribed" },
  { sequence: 3, part: 1, at: 1, requestId: "r", actor: "k", type: "emailStatus", address: "a@x.org", status: "opted_in" },
];

function frozenOf(undoUntil: number): FrozenMerge {
  return { source: profileOf("source", [1, 0]), targetBefore: profileOf("target", [1, 0]), journal: [], undoUntil };
}
