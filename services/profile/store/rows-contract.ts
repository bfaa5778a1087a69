/** What identities and profiles must do on every store, written through the ports that know no transaction. */
import type { RecordId } from "../../../platform/age.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { IdentityKey } from "../domain/identity/identity.ts";
import type {
  BlockedEntry,
  BlockedState,
  FrozenMerge,
  IdentityStore,
  IdentityWriter,
  NameIndex,
  ProfileStore,
  ProfileWriter,
  RequestOrigin,
  UserChanges,
  UserState,
} from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import { ownEntries } from "../../../platform/own-entries.ts";

export interface OpenedRows {
  readonly identities: IdentityStore & IdentityWriter & NameIndex;
  readonly profiles: ProfileStore & ProfileWriter;
  /** Unix milliseconds; undo windows of the suite end an hour later. */
  readonly now: number;
  close(): Promise<void>;
}

/** One store for the whole suite: every test has a workspace of its own. */
export function describeRows(driver: string, open: () => Promise<OpenedRows>, hookMs = 20_000): void {
  describe(`rows on ${driver}`, () => {
    let store: OpenedRows;
    let tests = 0;
    let w = "";
    beforeAll(async () => {
      store = await open();
    }, hookMs);
    afterAll(() => store.close(), hookMs);
    function fresh(): string {
      tests += 1;
      w = `w${tests}`;
      return w;
    }
    function allBlocked(): Promise<BlockedEntry[]> {
      return Array.fromAsync(store.profiles.allBlocked()).then((pages) => pages.flat());
    }
    function frozenOf(mark: RecordId): FrozenMerge {
      return { source: profileOf("source", mark), targetBefore: profileOf("target", mark), journal: [], undoUntil: store.now + 3_600_000 };
    }

    test("identities.load() gives rows as they were saved; missing and deleted ones are absent", async () => {
      fresh();
      const rows = new Map<IdentityKey, unknown>([
        ["w:x:a", { memberships: [] }],
        ["w:", 3],
        ["x:a", "u1"],
        ["x:ä \u{1f600}", "u2"],
        ["a:label\u0000name", "u1"],
        ["a:label\u0000Name", "u2"],
        ["a:label\u0000", "u3"],
        ["a:other\u0000name", "u4"],
        ["u:u1", { id: "u1", aliases: [{ label: "l", name: "n" }], email: null }],
        ["e:a@x.org", [{ id: "u1", identified: true, updated: [2 ** 41, 1] }]],
        ["p:+4912345678", []],
        ["r:hash", { bodyHash: "h", answer: "{}", sequence: 1, expiresAt: store.now + 1000 }],
        ["j:job", { outcomes: [] }],
        ["m:merge", { mergeId: "merge", state: "open" }],
        ["t:u9", "u1"],
        ["d:ä device", "u1"],
      ]);
      await store.identities.save(w, rows, 5);
      expect(await store.identities.load(w, [...rows.keys(), "x:none", "u:none"])).toEqual(rows);
      await store.identities.save(w, new Map<IdentityKey, unknown>([["x:a", undefined], ["u:u1", { id: "u1", changed: true }]]), 6);
      const found = await store.identities.load(w, ["x:a", "u:u1"]);
      expect([...found]).toEqual([["u:u1", { id: "u1", changed: true }]]);
      expect((await store.identities.load("other", ["u:u1"])).size).toBe(0);
    });

    test("identities.load() of names that are longer than any row's finds none, and those beside them", async () => {
      fresh();
      await store.identities.save(w, new Map<IdentityKey, unknown>([["x:a", "u1"], ["j:job", { outcomes: [] }]]), 1);
      const long = "\u200d".repeat(32_000);
      const keys: IdentityKey[] = [`j:${long}`, "j:job", `x:${long}`, "x:a", `a:${long}\u0000name`, `a:label\u0000${long}`, `e:${long}`];
      expect([...(await store.identities.load(w, keys)).keys()].sort()).toEqual(["j:job", "x:a"]);
    });

    test("origins: found again by workspace and place, whichever step they came with", async () => {
      fresh();
      const [one, three, five, eight] = [1, 3, 5, 8].map((sequence) => originOf(sequence));
      if (!one || !three || !five || !eight) throw new Error("Expected four origins");
      await store.identities.saveOrigins(5, 5, [[w, [one, three]], ["other", [five]]]);
      await store.identities.saveOrigins(5, 8, [[w, [eight]]]);
      await store.identities.saveOrigins(6, 8, [[w, [originOf(2)]]]);
      const found = await store.profiles.loadOrigins(w, 5, [1, 2, 3, 5, 8, 99]);
      expect([...found].sort(([a], [b]) => a - b)).toEqual([[1, one], [3, three], [8, eight]]);
    });

    test("setAside() keeps records with their bytes, once", async () => {
      const record = { partition: 2, sequence: 2 ** 41, reason: "why", body: Uint8Array.of(0, 255) };
      await store.identities.setAside([record]);
      await store.identities.setAside([record]);
      const { body, ...listed } = record;
      expect(await store.profiles.listSetAside(5)).toEqual([listed]);
      expect(await store.profiles.loadDeadLetter(record)).toEqual({ ...listed, body });
      await store.identities.forgetSetAside({ partition: 2, sequence: 1 });
      expect(await store.profiles.listSetAside(5)).toHaveLength(1);
      await store.identities.forgetSetAside(record);
      expect(await store.profiles.listSetAside(5)).toEqual([]);
      expect(await store.profiles.loadDeadLetter(record)).toBeUndefined();
    });

    test("profiles come back exactly, each time a new object, and give their rows", async () => {
      fresh();
      const profile = profileOf("u1", [2 ** 41, 3]);
      const { rows } = await store.profiles.save(changes(w, { users: new Map([["u1", stateOf(profile)]]) }));
      const [one, other] = [await store.profiles.load(w, ["u1", "u2"]), await store.profiles.load(w, ["u1"])];
      expect([...one]).toEqual([["u1", profile]]);
      expect(one.get("u1")).not.toBe(other.get("u1"));
      const users = await store.profiles.loadUsers(w, ["u1", "u2"]);
      expect(users.get("u1")).toMatchObject({ profile, row: rows.get(profile), blocked: false, openMerges: [] });
      expect(users.get("u2")).toEqual({ profile: undefined, row: "", blocked: false, openMerges: [] });
      expect((await store.profiles.load("other", ["u1"])).size).toBe(0);
    });

    test("a large profile comes back exactly", async () => {
      fresh();
      const profile = profileOf("u1", [1, 0]);
      for (let at = 0; at < 20_000; at += 1) ownEntries(profile, "custom").set(`attribute ${at}`, "value ".repeat(at % 30));
      await store.profiles.save(changes(w, { users: new Map([["u1", stateOf(profile)]]) }));
      expect((await store.profiles.load(w, ["u1"])).get("u1")).toEqual(profile);
    });

    test("a user who is gone has no profile", async () => {
      fresh();
      await store.profiles.save(changes(w, { users: new Map([["u1", stateOf(profileOf("u1", [1, 0]))]]) }));
      await store.profiles.save(changes(w, { users: new Map([["u1", goneAt([2, 0])]]) }));
      expect((await store.profiles.load(w, ["u1"])).size).toBe(0);
      expect((await store.profiles.loadUsers(w, ["u1"])).get("u1")).toMatchObject({ profile: undefined, blocked: false, openMerges: [] });
      expect(await store.profiles.page(w, "", 10)).toEqual([]);
    });

    test("page() walks all profiles by id, and passes over those who are gone", async () => {
      fresh();
      const ids = Array.from({ length: 300 }, (_, at) => (at * 7919).toString(16).padStart(24, "0"));
      await store.profiles.save(changes(w, { users: new Map(ids.map((id) => [id, stateOf(profileOf(id, [1, 0]))])) }));
      const gone = ids.filter((_, at) => at % 3 === 0);
      await store.profiles.save(changes(w, { users: new Map(gone.map((id) => [id, goneAt([2, 0])])) }));
      for (const size of [1, 7, 64, 200, 1000]) {
        const seen: string[] = [];
        for (let last: string | undefined = ""; last !== undefined;) {
          const page: Profile[] = await store.profiles.page(w, last, size);
          expect(page.length).toBeLessThanOrEqual(size);
          seen.push(...page.map((profile) => profile.id));
          last = page.length < size ? undefined : page.at(-1)?.id;
          if (size === 1 && seen.length > 3) last = undefined;
        }
        expect(seen).toEqual(
          size === 1 ? ids.filter((id) => !gone.includes(id)).slice(0, seen.length) : ids.filter((id) => !gone.includes(id)),
        );
      }
    });

    test("frozen copies come back with their journal in order, and are forgotten with it", async () => {
      fresh();
      const target = profileOf("target", [3, 0]);
      const users = new Map([["target", { ...stateOf(target), openMerges: ["m1"] }]]);
      await store.profiles.save(
        changes(w, { users, frozen: new Map([["m1", frozenOf([3, 0])]]), journal: new Map([["m1", [recordOf(9, 1)]]]) }),
      );
      await store.profiles.save(
        changes(w, { journal: new Map([["m1", [recordOf(9, 0), recordOf(10, 0)]], ["unknown", [recordOf(9, 0)]]]) }),
      );
      const loaded = await store.profiles.loadFrozen(w, ["m1", "unknown"]);
      expect([...loaded]).toEqual([["m1", { ...frozenOf([3, 0]), journal: [recordOf(9, 0), recordOf(9, 1), recordOf(10, 0)] }]]);
      expect((await store.profiles.loadUsers(w, ["target"])).get("target")?.openMerges).toEqual(["m1"]);
      await store.profiles.forgetMerges(w, ["m1"]);
      await store.profiles.save(changes(w, { journal: new Map([["m1", [recordOf(11, 0)]]]) }));
      expect((await store.profiles.loadFrozen(w, ["m1"])).size).toBe(0);
      expect((await store.profiles.loadUsers(w, ["target"])).get("target")?.openMerges).toEqual([]);
    });

    test("handoffs come back until they are forgotten", async () => {
      fresh();
      const handoff = { source: profileOf("source", [3, 0]), undoUntil: store.now + 3_600_000 };
      await store.profiles.save(changes(w, { handoffs: new Map([["m1", handoff], ["m2", handoff]]) }));
      expect([...await store.profiles.loadHandoffs(w, ["m1", "none"])]).toEqual([["m1", handoff]]);
      await store.profiles.forgetHandoffs(w, ["m1"]);
      await store.profiles.forgetMerges(w, ["m2"]);
      expect((await store.profiles.loadHandoffs(w, ["m1", "m2"])).size).toBe(0);
    });

    test("copies of a merge that was taken back stay until they are forgotten, and it is no open one", async () => {
      fresh();
      const state = { ...stateOf(profileOf("target", [3, 0])), openMerges: ["m1"] };
      await store.profiles.save(changes(w, { users: new Map([["target", state]]), frozen: new Map([["m1", frozenOf([3, 0])]]) }));
      await store.profiles.loadUsers(w, ["target"]);
      await store.profiles.save(changes(w, { users: new Map([["target", stateOf(profileOf("target", [4, 0]))]]) }));
      expect((await store.profiles.loadUsers(w, ["target"])).get("target")?.openMerges).toEqual([]);
      expect((await store.profiles.loadFrozen(w, ["m1"])).size).toBe(1);
    });

    test("a user keeps the mark of its last record, also one that changed nothing, and one who is gone", async () => {
      fresh();
      async function markOf(id: string): Promise<RecordId | undefined> {
        return (await store.profiles.loadUsers(w, [id])).get(id)?.mark;
      }
      await store.profiles.save(changes(w, { users: new Map([["u1", stateOf(profileOf("u1", [2, 0]))]]) }));
      expect([await markOf("u1"), await markOf("u2")]).toEqual([[2, 0], undefined]);
      await store.profiles.save(
        changes(w, { users: new Map([["u1", { ...stateOf(profileOf("u1", [2, 0])), mark: [3, 1], isNew: false }]]) }),
      );
      expect(await markOf("u1")).toEqual([3, 1]);
      await store.profiles.save(changes(w, { users: new Map([["u1", goneAt([4, 2])], ["u2", goneAt([4, 3])]]) }));
      expect([await markOf("u1"), await markOf("u2")]).toEqual([[4, 2], [4, 3]]);
      await store.profiles.save(changes(w, { users: new Map([["u1", stateOf(profileOf("u1", [5, 0]))]]) }));
      expect(await markOf("u1")).toEqual([5, 0]);
    });

    test("loadUsers() names the open merges of a target, newest last", async () => {
      fresh();
      const state = { ...stateOf(profileOf("target", [8, 0])), openMerges: ["early", "late"] };
      await store.profiles.save(
        changes(w, { users: new Map([["target", state]]), frozen: new Map([["late", frozenOf([8, 0])], ["early", frozenOf([5, 0])]]) }),
      );
      expect((await store.profiles.loadUsers(w, ["target"])).get("target")?.openMerges).toEqual(["early", "late"]);
    });

    test("blocked users keep their records in order until they are free", async () => {
      fresh();
      const first = new Map([["u1", stateOf(profileOf("u1", [2, 0]))]]);
      await store.profiles.save(changes(w, { users: first, blocked: new Map([["u1", blockedFrom([2, 1], [recordOf(2, 1)])]]) }));
      await store.profiles.save(changes(w, { blocked: new Map([["u1", blockedFrom([3, 0], [recordOf(3, 0), recordOf(2, 2)])]]) }));
      const records = [recordOf(2, 1), recordOf(2, 2), recordOf(3, 0)];
      expect([...await store.profiles.loadBlocked(w, ["u1", "u2"])]).toEqual([["u1", { reason: "why", records }]]);
      expect([...await store.profiles.loadBlocked(w, ["u1"], 1)]).toEqual([["u1", { reason: "why", records: [recordOf(2, 1)] }]]);
      expect((await store.profiles.loadUsers(w, ["u1"])).get("u1")).toMatchObject({ blocked: true, profile: { mark: [2, 0] } });
      for (const blocked of [await store.profiles.listBlocked(50), await allBlocked()]) {
        expect(blocked.filter((entry) => entry.workspaceId === w)).toEqual([{ workspaceId: w, userId: "u1", reason: "why" }]);
      }
      const users = new Map([["u1", stateOf(profileOf("u1", [3, 0]))]]);
      await store.profiles.save(changes(w, { users, blocked: new Map([["u1", null]]) }));
      expect((await store.profiles.loadBlocked(w, ["u1"])).size).toBe(0);
      expect((await store.profiles.loadUsers(w, ["u1"])).get("u1")).toMatchObject({ blocked: false, profile: { mark: [3, 0] } });
      expect((await store.profiles.listBlocked(50)).filter((entry) => entry.workspaceId === w)).toEqual([]);
      expect((await allBlocked()).filter((entry) => entry.workspaceId === w)).toEqual([]);
    });

    test("a user may wait without records, and without a profile", async () => {
      fresh();
      await store.profiles.save(changes(w, { blocked: new Map([["u1", blockedFrom([4, 0], [])]]) }));
      expect((await store.profiles.loadUsers(w, ["u1"])).get("u1")).toMatchObject({ blocked: true, profile: undefined });
      expect((await store.profiles.loadBlocked(w, ["u1"])).get("u1")).toEqual({ reason: "why", records: [] });
    });

    test("a user who was let go can be blocked again at once, with other records", async () => {
      fresh();
      await store.profiles.save(changes(w, { blocked: new Map([["u1", blockedFrom([2, 0], [recordOf(2, 0), recordOf(3, 0)])]]) }));
      const state = new Map([["u1", stateOf(profileOf("u1", [2, 0]))]]);
      const blocked = new Map([["u1", blockedFrom([3, 0], [recordOf(3, 0), recordOf(4, 0)])]]);
      await store.profiles.save(changes(w, { users: state, blocked }));
      expect((await store.profiles.loadBlocked(w, ["u1"])).get("u1")?.records).toEqual([recordOf(3, 0), recordOf(4, 0)]);
      await store.profiles.save(changes(w, { users: new Map([["u1", goneAt([5, 0])]]), blocked: new Map([["u1", null]]) }));
      expect((await store.profiles.loadBlocked(w, ["u1"])).size).toBe(0);
    });

    test("more records of a blocked user than one write takes stay in order", async () => {
      fresh();
      const records = Array.from({ length: 40 }, (_, at): ProfileRecord => {
        const change = { type: "event", name: "e".repeat(60_000), time: at } as const;
        return { userId: "u1", mark: [5, at], now: 1, change };
      });
      await store.profiles.save(changes(w, { blocked: new Map([["u1", blockedFrom([5, 0], records)]]) }));
      expect((await store.profiles.loadBlocked(w, ["u1"])).get("u1")?.records).toEqual(records);
    });
  });
}

export function changes(workspaceId: string, parts: Partial<UserChanges>): UserChanges {
  const empty = { users: new Map(), handoffs: new Map(), frozen: new Map(), journal: new Map(), blocked: new Map() };
  return { workspaceId, ...empty, ...parts };
}

export function stateOf(profile: Profile): UserState {
  return { profile, mark: profile.mark, openMerges: [], isNew: true };
}

export function goneAt(mark: RecordId): UserState {
  return { profile: null, mark, openMerges: [], isNew: false };
}

export function blockedFrom(since: RecordId, records: readonly ProfileRecord[]): BlockedState {
  return { reason: "why", records, since };
}

export function profileOf(id: string, mark: RecordId): Profile {
  return {
    id,
    mark,
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

export function recordOf(sequence: number, part: number): ProfileRecord {
  return { userId: "u1", mark: [sequence, part], now: 1, change: { type: "event", name: "seen", time: 1 } };
}

function originOf(sequence: number): RequestOrigin {
  return { sequence, requestId: `r-${sequence}`, actor: "key-1", receivedAt: 5, what: "track" };
}
