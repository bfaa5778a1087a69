/** Users held back in a lane: alone, durably, for as long as it takes, and freed by what an operator says. */
import { Buffer } from "node:buffer";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { bucketOfUser } from "../../../platform/user-number.ts";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import type { Statement } from "../../../platform/cassandra/session.ts";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { Addressed, LaneItem } from "../domain/resolve/lane-item.ts";
import { eventsOf as publishedOf } from "../events/profile-events.ts";
import type { ProfileChange } from "../domain/profile/profile-record.ts";
import { pureSteps } from "./pure-steps.ts";
import { createUserCache } from "./user-cache.ts";
import { type CassandraProfileStore, openCassandraProfileStore } from "../store/cassandra.ts";
import type { ApplyDeps } from "./slow-path.ts";
import { applyBatch } from "./apply-batch.ts";
import { profileFromRow, profileToRow } from "../store/rows.ts";

const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];
let store: CassandraProfileStore;
let deps: ApplyDeps;
let sent: Addressed[];
let isMended: boolean;

beforeEach(() => {
  store = openCassandraProfileStore({
    session: openReplicas({ schema }).session(),
    clock: fakeClock(),
    partitions: 1,
    bucketOf: bucketOfUser,
  });
  sent = [];
  isMended = false;
  deps = {
    profiles: store.profiles,
    steps: {
      ...pureSteps,
      applyRecord(profile, record) {
        if (!isMended && record.change.type === "event" && record.change.name === "bad") throw new Error("planted");
        return pureSteps.applyRecord(profile, record);
      },
    },
    cache: createUserCache({ bytesMax: 1_000_000, entryBytes: 1, rowBytesMax: 0, profileFromRow, profileToRow }),
    holds: new Map(),
    eventsOf: publishedOf,
    publish: () => Promise.resolve(),
    announce: (workspaceId, item) => {
      sent.push({ workspaceId, item });
      return Promise.resolve();
    },
  };
});

function record(userId: string, sequence: number, change: ProfileChange): Addressed {
  return { workspaceId: "w", item: { type: "record", record: { userId, mark: [sequence, 0], now: sequence, change } } };
}

function event(userId: string, sequence: number, name = "good"): Addressed {
  return record(userId, sequence, { type: "event", name, time: 0 });
}

function said(item: LaneItem): Addressed {
  return { workspaceId: "w", item };
}

async function eventsOf(userId: string): Promise<Record<string, number>> {
  const profile = (await store.profiles.load("w", [userId])).get(userId);
  return Object.fromEntries(Array.from(profile?.events ?? [], ([name, { count }]) => [name, count]));
}

describe("applyBatch() on records that cannot be applied", () => {
  test("holds back the user alone, from the record on, and shows it", async () => {
    const blocked = await applyBatch(deps, [
      record("a", 1, { type: "create" }),
      record("b", 1, { type: "create" }),
      event("a", 2),
      event("a", 3, "bad"),
      event("a", 4),
      event("b", 5),
    ]);
    expect(blocked).toMatchObject([{ userId: "a", blocked: true, blockedBy: { reason: "planted", mark: [3, 0], hasFailed: true } }]);
    expect([await eventsOf("a"), await eventsOf("b")]).toEqual([{ good: 1 }, { good: 1 }]);
    expect(await store.profiles.listBlocked(9)).toEqual([{ workspaceId: "w", userId: "a", reason: "planted" }]);
  });

  test("keeps what comes later, and applies it in order when the cause is mended", async () => {
    await applyBatch(deps, [record("a", 1, { type: "create" }), event("a", 3, "bad")]);
    for (const sequence of [4, 5]) await applyBatch(deps, [event("a", sequence)]);
    expect(await eventsOf("a")).toEqual({});
    isMended = true;
    await applyBatch(deps, [said({ type: "redrive", userId: "a" })]);
    expect(await eventsOf("a")).toEqual({ bad: 1, good: 2 });
    expect(await store.profiles.listBlocked(9)).toEqual([]);
  });

  test("passes over the record that an operator names, and no other", async () => {
    await applyBatch(deps, [record("a", 1, { type: "create" }), event("a", 3, "bad"), event("a", 4), event("a", 5, "bad")]);
    await applyBatch(deps, [said({ type: "skip", userId: "a", mark: [4, 0] })]);
    expect(await eventsOf("a")).toEqual({});
    await applyBatch(deps, [said({ type: "skip", userId: "a", mark: [3, 0] })]);
    expect(await eventsOf("a")).toEqual({ good: 1 });
    expect((await store.profiles.loadBlocked("w", ["a"])).get("a")?.records.map(({ mark }) => mark)).toEqual([[5, 0]]);
  });

  test("does not keep a deleted user", async () => {
    await applyBatch(deps, [record("a", 1, { type: "create" }), event("a", 3, "bad"), event("a", 4)]);
    await applyBatch(deps, [record("a", 6, { type: "delete" })]);
    expect((await store.profiles.loadUsers("w", ["a"])).get("a")).toMatchObject({ profile: undefined, blocked: false, mark: [6, 0] });
    expect(await store.profiles.listBlocked(9)).toEqual([]);
  });

  test("shows a user whose row the store does not take", async () => {
    const session = openReplicas({ schema }).session();
    const refuse = (statements: readonly Statement[]) => {
      const isBad = statements.some(({ values }) =>
        Object.values(values).some((value) => value instanceof Uint8Array && /"bad"/.test(String(Buffer.from(value))))
      );
      if (isBad) throw new Error("planted");
    };
    store = openCassandraProfileStore({
      session: {
        ...session,
        execute: async (statement) => (refuse([statement]), await session.execute(statement)),
        batch: async (statements) => (refuse(statements), await session.batch(statements)),
      },
      clock: fakeClock(),
      partitions: 1,
      bucketOf: bucketOfUser,
    });
    isMended = true;
    const blocked = await applyBatch({ ...deps, profiles: store.profiles }, [
      record("a", 1, { type: "create" }),
      event("a", 2),
      event("a", 3, "bad"),
    ]);
    expect(blocked).toMatchObject([{ userId: "a", blocked: true, blockedBy: { reason: "planted", mark: [3, 0] } }]);
    expect(await store.profiles.listBlocked(9)).toEqual([{ workspaceId: "w", userId: "a", reason: "planted" }]);
  });

  test("sets nothing aside where the store fails, and does the same again", async () => {
    await applyBatch(deps, [record("a", 1, { type: "create" })]);
    const failing = { ...store.profiles, save: () => Promise.reject(new Refusal("STORE_UNAVAILABLE")) };
    await expect(applyBatch({ ...deps, profiles: failing }, [event("a", 2)])).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    deps.cache.clear();
    await applyBatch(deps, [event("a", 2)]);
    await applyBatch(deps, [event("a", 2)]);
    expect(await eventsOf("a")).toEqual({ good: 1 });
  });
});

describe("applyBatch() on a merge", () => {
  const handoff = record("s", 5, { type: "handoff", mergeId: "m", targetId: "t", undoUntil: 100 });
  const awaiting: Addressed = said({
    type: "record",
    record: { userId: "t", mark: [5, 1], now: 5, change: { type: "await", mergeId: "m", sourceId: "s", undoUntil: 100 } },
  });

  beforeEach(async () => {
    for (const id of ["s", "t"]) await applyBatch(deps, [record(id, 1, { type: "create" }), event(id, 2)]);
  });

  test("holds the target's later records until the source is handed off, whose announcement wakes it", async () => {
    await applyBatch(deps, [awaiting, event("t", 6)]);
    expect(await eventsOf("t")).toEqual({ good: 1 });
    expect((await store.profiles.loadUsers("w", ["t"])).get("t")?.blocked).toBe(true);
    await applyBatch(deps, [handoff]);
    expect(sent).toEqual([said({ type: "announce", userId: "t", mergeId: "m", what: "frozen", mark: [5, 0] })]);
    await applyBatch(deps, sent);
    expect([await eventsOf("s"), await eventsOf("t")]).toEqual([{}, { good: 3 }]);
    expect((await store.profiles.loadHandoffs("w", ["m"])).size).toBe(0);
  });

  test("announces again where the handoff comes again, and takes the source in once", async () => {
    await applyBatch(deps, [handoff]);
    await applyBatch(deps, [handoff]);
    expect(sent).toHaveLength(2);
    await applyBatch(deps, [awaiting, ...sent]);
    await applyBatch(deps, [awaiting, ...sent]);
    expect(await eventsOf("t")).toEqual({ good: 2 });
  });

  test("brings the source back once the target is past the undo", async () => {
    await applyBatch(deps, [handoff, awaiting]);
    const restore: Addressed = record("s", 8, { type: "restore", mergeId: "m", targetId: "t" });
    await applyBatch(deps, [restore, event("s", 9)]);
    expect(await eventsOf("s")).toEqual({});
    sent = [];
    await applyBatch(deps, [event("t", 7), record("t", 8, { type: "undo", mergeId: "m", sourceId: "s" })]);
    expect(sent).toMatchObject([{ item: { type: "announce", userId: "s", what: "undone" } }]);
    await applyBatch(deps, sent);
    expect([await eventsOf("s"), await eventsOf("t")]).toEqual([{ good: 2 }, { good: 2 }]);
    expect((await store.profiles.loadFrozen("w", ["m"])).size).toBe(0);
  });

  test("ignores an announcement for a user who is gone, and keeps no copy for it", async () => {
    await applyBatch(deps, [handoff]);
    await applyBatch(deps, [awaiting, record("t", 6, { type: "delete" })]);
    await applyBatch(deps, sent);
    expect((await store.profiles.loadUsers("w", ["t"])).get("t")).toMatchObject({ profile: undefined, blocked: false, openMerges: [] });
    expect((await store.profiles.loadFrozen("w", ["m"])).size + (await store.profiles.loadHandoffs("w", ["m"])).size).toBe(0);
  });
});

/** Faults that no store or log says to pass, each wherever it may come from, for one user. */
const faults: readonly (readonly [string, () => Partial<ApplyDeps>])[] = [
  ["its row cannot be read", () => ({
    profiles: {
      ...store.profiles,
      loadUsers: (workspaceId, ids) => isMended || !ids.includes("a") ? store.profiles.loadUsers(workspaceId, ids) : planted(),
    },
  })],
  ["its row cannot be packed or written", () => ({
    profiles: {
      ...store.profiles,
      save: (changes) => isMended || !changes.users.get("a")?.profile?.events.has("odd") ? store.profiles.save(changes) : planted(),
    },
  })],
  ["nobody can be told of its record", () => ({
    eventsOf(workspaceId, records) {
      if (!isMended && records.some(({ change }) => change.type === "event" && change.name === "odd")) throw new RangeError("planted");
      return publishedOf(workspaceId, records);
    },
  })],
];

function planted(): Promise<never> {
  return Promise.reject(new RangeError("planted"));
}

describe.each(faults)("applyBatch() where %s", (where, plant) => {
  beforeEach(async () => {
    await applyBatch(deps, [record("a", 1, { type: "create" }), record("b", 1, { type: "create" })]);
    deps = { ...deps, ...plant(), cache: createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 0, profileFromRow, profileToRow }) };
  });

  test("others go on, and the user goes on once it is mended", async () => {
    const blocked = await applyBatch(deps, [event("a", 2), event("a", 3, "odd"), event("b", 3), event("a", 4)]);
    expect(blocked).toMatchObject([{ userId: "a", blocked: true, blockedBy: { reason: "planted", hasFailed: true } }]);
    await applyBatch(deps, [event("b", 5), event("a", 6)]);
    expect([await eventsOf("a"), await eventsOf("b")]).toEqual([where.includes("read") ? {} : { good: 1 }, { good: 2 }]);
    expect(await store.profiles.listBlocked(9)).toEqual([{ workspaceId: "w", userId: "a", reason: "planted" }]);
    isMended = true;
    await applyBatch(deps, [said({ type: "redrive", userId: "a" })]);
    expect(await eventsOf("a")).toEqual({ good: 3, odd: 1 });
    expect(await store.profiles.listBlocked(9)).toEqual([]);
  });

  test("a redrive before it is mended loses nothing", async () => {
    await applyBatch(deps, [event("a", 2), event("a", 3, "odd"), event("b", 3)]);
    await applyBatch(deps, [said({ type: "redrive", userId: "a" }), event("a", 4), event("b", 4)]);
    expect(await eventsOf("b")).toEqual({ good: 2 });
    isMended = true;
    await applyBatch(deps, [said({ type: "redrive", userId: "a" })]);
    expect(await eventsOf("a")).toEqual({ good: 2, odd: 1 });
  });
});

describe("applyBatch() where a row cannot be written", () => {
  beforeEach(async () => {
    await applyBatch(deps, [record("a", 1, { type: "create" })]);
    const [, plant] = faults[1] ?? ["", () => ({})];
    deps = { ...deps, ...plant() };
  });

  test("the record is found of which it is", async () => {
    const items = [2, 3, 4, 5, 6, 7, 8].map((sequence) => event("a", sequence, sequence === 5 ? "odd" : "good"));
    expect(await applyBatch(deps, items)).toMatchObject([{ blockedBy: { mark: [5, 0] } }]);
    expect(await eventsOf("a")).toEqual({ good: 3 });
  });

  test("the record is passed over when an operator says so", async () => {
    await applyBatch(deps, [event("a", 2), event("a", 3, "odd"), event("a", 4)]);
    await applyBatch(deps, [said({ type: "skip", userId: "a", mark: [3, 0] })]);
    expect([await eventsOf("a"), await store.profiles.listBlocked(9)]).toEqual([{ good: 2 }, []]);
  });

  test("a delete ends the user", async () => {
    await applyBatch(deps, [event("a", 2), event("a", 3, "odd"), event("a", 4), record("a", 5, { type: "delete" })]);
    expect([(await store.profiles.load("w", ["a"])).size, await store.profiles.listBlocked(9)]).toEqual([0, []]);
  });

  test("a row of a newer build holds nobody", async () => {
    const loadUsers = () => Promise.resolve().then(() => profileFromRow('{"v":2}') as never);
    deps = {
      ...deps,
      profiles: { ...store.profiles, loadUsers },
      cache: createUserCache({ bytesMax: 0, entryBytes: 1, rowBytesMax: 0, profileFromRow, profileToRow }),
    };
    await expect(applyBatch(deps, [event("a", 2)])).rejects.toThrow('Expected a profile row of version 1, got "2"');
    expect(await store.profiles.listBlocked(9)).toEqual([]);
  });

  test("a store that is away holds nobody", async () => {
    deps = { ...deps, profiles: { ...store.profiles, save: () => Promise.reject(new Refusal("STORE_UNAVAILABLE")) } };
    await expect(applyBatch(deps, [event("a", 2)])).rejects.toMatchObject({ reason: "STORE_UNAVAILABLE" });
    expect(await store.profiles.listBlocked(9)).toEqual([]);
  });
});
