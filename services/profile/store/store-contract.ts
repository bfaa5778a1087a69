/** What every driver of the profile service's stores must do. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { IdentityKey } from "../domain/identity.ts";
import type { ConsentRecord, FrozenMerge, IdentityStore, ProfileStore, Step, StepStore, WorkspaceStep } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";

export interface OpenedStore {
  readonly identities: IdentityStore;
  readonly profiles: ProfileStore;
  readonly steps: StepStore;
  /** How many lane records a service has. */
  lanes(service: string): Promise<number>;
  /** Makes the next commit fail half way. */
  breakNextCommit(): void;
  close(): Promise<void>;
}

/** Runs the suite against a fresh store a test. */
export function describeProfileStore(driver: string, open: () => Promise<OpenedStore>): void {
  describe(`profile store on ${driver}`, () => {
    let store: OpenedStore;
    beforeEach(async () => {
      store = await open();
    });
    afterEach(() => store.close());

    test("checkpoint() is 0 at the start, then that of the last commit, per partition", async () => {
      expect(await store.steps.checkpoint(0)).toBe(0);
      await store.steps.commit(stepOf({}, { partition: 0, through: 7 }));
      await store.steps.commit(stepOf({}, { partition: 1, through: 2 ** 41 }));
      expect([await store.steps.checkpoint(0), await store.steps.checkpoint(1)]).toEqual([7, 2 ** 41]);
    });

    test("load() gives identity rows as they were written; missing and deleted ones are absent", async () => {
      const keys: IdentityKey[] = ["x:a", "a:label\u0000name", "e:ä@x.org", "x:none"];
      await store.steps.commit(stepOf({ identities: new Map(keys.slice(0, 3).map((key) => [key, { key }])) }));
      await store.steps.commit(stepOf({ identities: new Map([["x:a", undefined], ["a:label\u0000name", ["changed"]]] as const) }));
      const found = await store.identities.load("w", keys);
      expect([...found]).toEqual([["a:label\u0000name", ["changed"]], ["e:ä@x.org", { key: "e:ä@x.org" }]]);
    });

    test("identity keys that differ after a NUL or in case are different rows", async () => {
      const rows = new Map<IdentityKey, unknown>([["a:l\u0000x", 1], ["a:l\u0000X", 2], ["a:l\u0000", 3], ["a:l", 4]]);
      await store.steps.commit(stepOf({ identities: rows }));
      expect(await store.identities.load("w", [...rows.keys()])).toEqual(rows);
    });

    test("workspaces do not see each other", async () => {
      await store.steps.commit(stepOf({ identities: new Map([["x:a", "id"]]), profiles: new Map([["u1", profileOf("u1")]]) }));
      expect((await store.identities.load("other", ["x:a"])).size).toBe(0);
      expect((await store.profiles.load("other", ["u1"])).size).toBe(0);
      expect(await store.profiles.page("other", "", 10)).toEqual([]);
    });

    test("load() gives profiles exactly as they were, each time a new object", async () => {
      const profile = profileOf("u1");
      await store.steps.commit(stepOf({ profiles: new Map([["u1", profile]]) }));
      const [one, other] = [await store.profiles.load("w", ["u1", "u2"]), await store.profiles.load("w", ["u1"])];
      expect([...one]).toEqual([["u1", profile]]);
      expect(one.get("u1")).not.toBe(other.get("u1"));
    });

    test("commit() tells the length of each row, and loadUsers() the same", async () => {
      const profile = profileOf("u1");
      const { rowChars } = await store.steps.commit(stepOf({ profiles: new Map([["u1", profile]]) }));
      const users = await store.profiles.loadUsers("w", ["u1", "u2"]);
      expect(users.get("u1")).toEqual({ profile, rowChars: rowChars.get(profile), held: false, openMerges: [] });
      expect(users.get("u2")).toEqual({ profile: undefined, rowChars: 0, held: false, openMerges: [] });
      expect(rowChars.get(profile)).toBeGreaterThan(0);
    });

    test("page() walks all profiles by id", async () => {
      const ids = ["u3", "u1", "u2"];
      await store.steps.commit(stepOf({ profiles: new Map(ids.map((id) => [id, profileOf(id)])) }));
      expect((await store.profiles.page("w", "", 2)).map((profile) => profile.id)).toEqual(["u1", "u2"]);
      expect((await store.profiles.page("w", "u2", 2)).map((profile) => profile.id)).toEqual(["u3"]);
    });

    test("null deletes a profile", async () => {
      await store.steps.commit(stepOf({ profiles: new Map([["u1", profileOf("u1")]]) }));
      await store.steps.commit(stepOf({ profiles: new Map([["u1", null]]) }));
      expect((await store.profiles.load("w", ["u1"])).size).toBe(0);
    });

    test("frozen copies come back with their journal in order, and go with it", async () => {
      await store.steps.commit(stepOf({ frozen: new Map([["m1", frozenOf(3)]]), journal: new Map([["m1", [recordOf(9, 1)]]]) }));
      await store.steps.commit(stepOf({ journal: new Map([["m1", [recordOf(9, 0), recordOf(10, 0)]]]) }));
      const loaded = await store.profiles.loadFrozen("w", ["m1", "none"]);
      expect([...loaded]).toEqual([["m1", { ...frozenOf(3), journal: [recordOf(9, 0), recordOf(9, 1), recordOf(10, 0)] }]]);
      await store.steps.commit(stepOf({ frozen: new Map([["m1", null]]) }));
      await store.steps.commit(stepOf({ journal: new Map([["m1", [recordOf(11, 0)]]]) }));
      await store.steps.commit(stepOf({ frozen: new Map([["m1", frozenOf(3)]]) }));
      expect((await store.profiles.loadFrozen("w", ["m1"])).get("m1")?.journal).toEqual([]);
    });

    test("loadUsers() names the open merges of a target, newest last", async () => {
      await store.steps.commit(stepOf({ frozen: new Map([["late", frozenOf(8)], ["early", frozenOf(5)]]) }));
      expect((await store.profiles.loadUsers("w", ["target"])).get("target")?.openMerges).toEqual(["early", "late"]);
    });

    test("listExpired() gives merges whose window is over", async () => {
      await store.steps.commit(stepOf({ frozen: new Map([["m1", { ...frozenOf(1), undoUntil: 10 }], ["m2", frozenOf(1)]]) }));
      expect(await store.profiles.listExpired(10, 5)).toEqual([]);
      expect(await store.profiles.listExpired(11, 5)).toEqual([{ workspaceId: "w", mergeId: "m1" }]);
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

    test("held users keep their records in order until they are free", async () => {
      await store.steps.commit(stepOf({ held: new Map([["u1", { reason: "why", records: [recordOf(2, 1)] }]]) }));
      await store.steps.commit(stepOf({ heldMore: new Map([["u1", [recordOf(2, 2), recordOf(3, 0)]]]) }));
      const expected = { reason: "why", records: [recordOf(2, 1), recordOf(2, 2), recordOf(3, 0)] };
      expect([...await store.profiles.loadHeld("w", ["u1", "u2"])]).toEqual([["u1", expected]]);
      expect((await store.profiles.loadUsers("w", ["u1"])).get("u1")?.held).toBe(true);
      expect(await store.profiles.listHeld(5)).toEqual([{ workspaceId: "w", userId: "u1", reason: "why" }]);
      await store.steps.commit(stepOf({ held: new Map([["u1", null]]) }));
      expect((await store.profiles.loadHeld("w", ["u1"])).size).toBe(0);
      expect(await store.profiles.listHeld(5)).toEqual([]);
    });

    test("records set aside are kept with their bytes", async () => {
      const record = { partition: 2, sequence: 5, reason: "why", body: Uint8Array.of(0, 255) };
      await store.steps.commit({ ...stepOf({}), setAside: [record] });
      const [found, ...more] = await store.profiles.listSetAside(5);
      expect({ ...found, body: [...found?.body ?? []] }).toEqual({ ...record, body: [0, 255] });
      expect(more).toEqual([]);
    });

    test("consent goes to the lane of the service that owns it", async () => {
      await store.steps.commit(stepOf({ consent }));
      expect([await store.lanes("subscription"), await store.lanes("messaging-status")]).toEqual([1, 1]);
    });

    test("a step is written whole or not at all, and a repeat of it is harmless", async () => {
      const step = stepOf(
        {
          identities: new Map([["x:a", "u1"]]),
          profiles: new Map([["u1", profileOf("u1")]]),
          frozen: new Map([["m1", frozenOf(1)]]),
          journal: new Map([["m1", [recordOf(1, 1)]]]),
          held: new Map([["u2", { reason: "why", records: [recordOf(1, 0)] }]]),
          consent,
        },
        { partition: 0, through: 3 },
      );
      store.breakNextCommit();
      await expect(store.steps.commit(step)).rejects.toThrow("planted");
      expect(await store.steps.checkpoint(0)).toBe(0);
      expect((await store.identities.load("w", ["x:a"])).size + (await store.profiles.load("w", ["u1"])).size).toBe(0);
      await store.steps.commit(step);
      await store.steps.commit(step);
      expect(await store.steps.checkpoint(0)).toBe(3);
      expect((await store.profiles.loadFrozen("w", ["m1"])).get("m1")?.journal).toHaveLength(1);
      expect((await store.profiles.loadHeld("w", ["u2"])).get("u2")?.records).toHaveLength(1);
      expect(await store.lanes("subscription")).toBe(1);
    });
  });
}

const consent: readonly ConsentRecord[] = [
  { sequence: 3, part: 0, at: 1, requestId: "r", actor: "k", type: "membership", userId: "u1", groupId: "g", state: "subscribed" },
  { sequence: 3, part: 1, at: 1, requestId: "r", actor: "k", type: "emailStatus", address: "a@x.org", status: "opted_in" },
];

function stepOf(parts: Partial<WorkspaceStep>, place = { partition: 0, through: 1 }): Step {
  const empty = { profiles: new Map(), frozen: new Map(), journal: new Map(), held: new Map(), heldMore: new Map(), consent: [] };
  return { ...place, workspaces: [{ workspaceId: "w", identities: new Map(), ...empty, ...parts }], setAside: [] };
}

function profileOf(id: string): Profile {
  return {
    id,
    mark: [1, 0],
    createdAt: 1,
    updatedAt: 2,
    externalId: "a",
    aliases: [{ label: "l", name: "n" }],
    email: null,
    phone: null,
    fields: new Map([["first_name", "Åsa \u{1f600}"]]),
    custom: new Map([["__proto__", 1]]),
    events: new Map([["seen", { first: 1, last: 2, count: 3, days: new Map([[4, 3]]) }]]),
    purchases: new Map(),
    revenue: new Map([["USD", 2n ** 70n]]),
    purchaseCount: 0,
    apps: new Map(),
    devices: new Map(),
    engagements: new Map(),
    sources: { names: new Map(), fields: new Map(), custom: new Map() },
    merges: [],
  };
}

function frozenOf(sequence: number): FrozenMerge {
  return { source: profileOf("source"), targetBefore: { ...profileOf("target"), mark: [sequence, 0] }, journal: [], undoUntil: 1000 };
}

function recordOf(sequence: number, part: number): ProfileRecord {
  return { userId: "u1", mark: [sequence, part], now: 1, change: { type: "event", name: "seen", time: 1 } };
}
