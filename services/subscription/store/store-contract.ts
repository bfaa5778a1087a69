/** What any store of the subscription service must do. */
import type { RecordId } from "../../../platform/age.ts";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DeadLetter, LaneRecord } from "../../../platform/lane/lane.ts";
import { chained, emptyChain, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { OrderedGroup } from "../domain/group-order.ts";
import { noMemberships, type UserMemberships } from "../domain/memberships.ts";
import type { StepRows, SubscriptionTables } from "./tables.ts";

export interface ContractStore extends SubscriptionTables {
  /** The next write of a commit fails, and nothing of it is there. */
  breakNextCommit(): void;
  /** The record, which can be read now, waits no more. */
  release(record: LaneRecord): Promise<unknown>;
  close(): Promise<void>;
}

const change = { what: "g", kind: "set", before: null, after: "subscribed", at: 1, actor: "k", requestId: "r", sequence: 1, part: 0 };
const body = Uint8Array.of(1, 2, 3);
const group: OrderedGroup = { id: "g", name: "G", channel: "email", archived: false, turns: [0] };

function record(sequence: number, workspaceId = "w"): LaneRecord {
  return { workspaceId, sequence, part: 0, key: "u", body };
}

function user(userId: string, mark: RecordId = [2 ** 41, 3]): UserMemberships {
  const source: UserMemberships = { ...noMemberships("s"), groups: new Map([["__proto__", "unsubscribed"]]) };
  return {
    userId,
    mark,
    groups: new Map([["g", "subscribed"], ["__proto__", "unsubscribed"]]),
    merges: [{ mergeId: "m", undoUntil: 5, source, before: new Map([["g", "subscribed"]]) }],
    absorbed: ["old"],
  };
}

type WorkspaceRows = StepRows["workspaces"][number];

function step(workspace: Partial<WorkspaceRows> = {}): StepRows {
  const { entries = [] } = workspace;
  return {
    workspaces: [{ workspaceId: "w", states: new Map(), entries, ends: endsOf(entries), erased: new Map(), ...workspace }],
    deadLetters: [],
  };
}

function endsOf(entries: readonly LedgerEntry[]): WorkspaceRows["ends"] {
  return new Map(entries.map(({ subject, index, hash }) => [subject, { count: index + 1, hash }]));
}

function users(...all: readonly UserMemberships[]): WorkspaceRows["states"] {
  return new Map(all.map((one) => [one.userId, one]));
}

export function describeSubscriptionStore(driver: string, open: () => Promise<ContractStore>): void {
  describe(`the subscription store on ${driver}`, () => {
    let tables: ContractStore;
    beforeEach(async () => {
      tables = await open();
    });
    afterEach(() => tables.close());

    test("gives back what was written, for its workspace alone", async () => {
      await tables.commit(step({ states: users(user("u")) }));
      expect(await tables.store.load("w", ["u", "x"])).toEqual(users(user("u")));
      expect(await tables.store.load("v", ["u"])).toEqual(new Map());
    });

    test("gives back many users, with where their chains end", async () => {
      const ids = Array.from({ length: 50 }, (_, at) => `u${at}`);
      const entries = ids.map((subject) => chained({ workspaceId: "w", head: emptyChain }, { subject, ...change }).entry);
      await tables.commit(step({ states: users(...ids.map((id) => user(id))), entries }));
      const loaded = await tables.loadForStep("w", [...ids, "x"]);
      expect(loaded.states).toEqual(new Map(ids.map((id) => [id, user(id)])));
      expect(ids.map((id) => loaded.ends.get(id))).toEqual(entries.map(({ hash }) => ({ count: 1, hash })));
    });

    test("a commit that breaks leaves a user and its chain as they were, and can be done again, and twice", async () => {
      const { entry } = chained({ workspaceId: "w", head: emptyChain }, { subject: "u", ...change });
      tables.breakNextCommit();
      const whole = step({ states: users(user("u")), entries: [entry] });
      await expect(tables.commit(whole)).rejects.toThrow("planted");
      expect(await tables.store.load("w", ["u"])).toEqual(new Map());
      expect(await tables.history("w", "u")).toEqual([]);
      await tables.commit(whole);
      expect(await tables.store.load("w", ["u"])).toEqual(users(user("u")));
      expect(await tables.history("w", "u")).toEqual([entry]);
    });

    test("a chain goes on where it ended, and is erased with its subject", async () => {
      const first = chained({ workspaceId: "w", head: emptyChain }, { subject: "u", ...change });
      await tables.commit(step({ states: users(user("u", [1, 0])), entries: [first.entry] }));
      const heads = await tables.heads("w", ["u", "x"]);
      expect(heads).toEqual(new Map([["u", first.head], ["x", emptyChain]]));
      const second = chained({ workspaceId: "w", head: first.head }, {
        subject: "u",
        ...change,
        before: "subscribed",
        after: "unsubscribed",
        sequence: 2,
      });
      await tables.commit(step({ states: users(user("u", [2, 0])), entries: [second.entry] }));
      expect(await tables.history("w", "u")).toEqual([first.entry, second.entry]);
      expect(await tables.verify("w")).toEqual({ entries: 2, damage: undefined });
      const gone = { ...noMemberships("u"), mark: [3, 0] as const };
      await tables.commit(step({ states: users(gone), erased: new Map([["u", [3, 0]]]) }));
      expect(await tables.history("w", "u")).toEqual([]);
      expect(await tables.verify("w")).toEqual({ entries: 0, damage: undefined });
      expect((await tables.store.load("w", ["u"])).get("u")).toEqual(gone);
    });

    test("nothing stays of the history of somebody who was merged into the one who is deleted", async () => {
      const { entry } = chained({ workspaceId: "w", head: emptyChain }, { subject: "s", ...change });
      await tables.commit(step({ states: users(user("s", [1, 0])), entries: [entry] }));
      await tables.commit(step({ erased: new Map([["s", [2, 0]]]) }));
      expect(await tables.history("w", "s")).toEqual([]);
      expect((await tables.subjects("w", { from: undefined, max: 10 })).subjects).toEqual([]);
    });

    test("subjects with a chain in pages, each once, for their workspace alone", async () => {
      const ids = Array.from({ length: 7 }, (_, at) => `u${at}`);
      const entries = ids.map((subject) => chained({ workspaceId: "w", head: emptyChain }, { subject, ...change }).entry);
      await tables.commit(step({ states: users(...ids.map((id) => user(id))), entries }));
      const found: string[] = [];
      for (let from: string | undefined;;) {
        const page = await tables.subjects("w", { from, max: 3 });
        expect(page.subjects.length).toBeLessThanOrEqual(3);
        found.push(...page.subjects);
        from = page.next;
        if (from === undefined) break;
      }
      expect(found.toSorted()).toEqual(ids);
      expect(await tables.verify("w")).toEqual({ entries: 7, damage: undefined });
      expect(await tables.subjects("v", { from: undefined, max: 3 })).toEqual({ subjects: [], next: undefined });
    });

    test("groups that are brought from elsewhere take the place of those of the same id, for their workspace alone, as often as they come", async () => {
      const [one, other] = [{ ...group, id: "a" }, { ...group, id: "b" }];
      const archived = { ...one, archived: true, turns: [0, 7] };
      for (const groups of [[one, other], [archived], [archived]]) await tables.bringGroups("w", groups, 2 ** 41);
      expect(await tables.store.groups("w")).toEqual([archived, other]);
      expect(await tables.store.groups("v")).toEqual([]);
    });

    test("a sweep changes users with a merge whose window is over, no others, and none for whom something waits", async () => {
      const open = { ...user("open"), merges: user("open").merges.map((merge) => ({ ...merge, undoUntil: 50 })) };
      await tables.commit(step({ states: users(user("u"), open, { ...user("none"), merges: [] }) }));
      const seen: string[] = [];
      const sweep = (isFree: boolean) =>
        tables.store.sweep({ now: 6, max: 10 }, {
          isFree: (workspaceId, userId) => Promise.resolve(isFree || `${workspaceId} ${userId}` !== "w u"),
          change(one) {
            seen.push(one.userId);
            one.merges = [];
          },
        });
      expect(await sweep(false)).toBe(0);
      expect((await tables.store.load("w", ["u"])).get("u")).toEqual(user("u"));
      expect([await sweep(true), await sweep(true)]).toEqual([1, 0]);
      expect(seen).toEqual(["u"]);
      expect((await tables.store.load("w", ["u"])).get("u")).toEqual({ ...user("u"), merges: [] });
    });

    test("a sweep goes past users who wait, however many they are", async () => {
      function ofWindow(id: string, undoUntil: number): UserMemberships {
        return { ...user(id), merges: user(id).merges.map((merge) => ({ ...merge, undoUntil })) };
      }
      const ids = Array.from({ length: 70 }, (_, at) => `${at}`);
      await tables.commit(step({ states: users(...ids.flatMap((id) => [ofWindow(`waits${id}`, 1), ofWindow(`free${id}`, 2)])) }));
      const seen = new Set<string>();
      function sweep(): Promise<number> {
        return tables.store.sweep({ now: 6, max: 5 }, {
          isFree: (_, userId) => Promise.resolve(userId.startsWith("free")),
          change(one) {
            seen.add(one.userId);
            one.merges = [];
          },
        });
      }
      expect(await sweep()).toBe(5);
      while (await sweep() > 0);
      expect(seen).toEqual(new Set(ids.map((id) => `free${id}`)));
    });

    test("a sweep goes past a user whose row cannot be changed, and says so", async () => {
      await tables.commit(step({ states: users(...["a", "b", "c"].map((id) => user(id))) }));
      const sweeping = tables.store.sweep({ now: 6, max: 10 }, {
        isFree: () => Promise.resolve(true),
        change(one) {
          if (one.userId === "b") throw new Error("planted");
          one.merges = [];
        },
      });
      await expect(sweeping).rejects.toThrow("planted");
      const left = await tables.store.load("w", ["a", "b", "c"]);
      expect([...left.values()].filter(({ merges }) => merges.length > 0).map(({ userId }) => userId)).toEqual(["b"]);
    });

    test("what waits is told with its users, of its workspace alone, until it waits no more", async () => {
      const kept: LaneRecord = { workspaceId: "w", sequence: 2 ** 41, part: 7, key: "one\nother", body: Uint8Array.of(1) };
      await tables.commit({ ...step(), deadLetters: [{ record: kept, reason: "no record" }] });
      expect(await tables.waiting("w")).toEqual([{ mark: [2 ** 41, 7], keys: ["one", "other"] }]);
      expect(await tables.waiting("v")).toEqual([]);
      await tables.release(kept);
      expect(await tables.waiting("w")).toEqual([]);
      expect(await tables.listSetAside(10)).toEqual([]);
    });

    test("what was set aside is listed behind any place, all of it or that of a workspace", async () => {
      const places = [["", 7, 0], ["v", 1, 0], ["w", 1, 0], ["w", 1, 2], ["w", 4, 1], ["x", 2, 0]] as const;
      const deadLetters = places.map(([workspaceId, sequence, part]) => ({
        record: { ...record(sequence), workspaceId, part },
        reason: "r",
      }));
      await tables.commit({ ...step(), deadLetters });
      const placesOf = (list: readonly DeadLetter[]) =>
        list.map(({ record: { workspaceId, sequence, part } }) => [workspaceId, sequence, part]);
      const all = await tables.listSetAside(10);
      expect(placesOf(all).toSorted()).toEqual(places.map((place) => [...place]).toSorted());
      for (const [at, { record: after }] of all.entries()) {
        expect(placesOf(await tables.listSetAside(10, after))).toEqual(placesOf(all.slice(at + 1)));
        expect(placesOf(await tables.listSetAside(2, after))).toEqual(placesOf(all.slice(at + 1, at + 3)));
      }
      expect(placesOf(await tables.listSetAside(1, { workspaceId: "w", sequence: 1, part: 1 }))).toEqual([["w", 1, 2]]);
      expect(placesOf(await tables.deadLettersOf("w", 2))).toEqual([["w", 1, 0], ["w", 1, 2]]);
      expect(placesOf(await tables.deadLettersOf("w", 2, { workspaceId: "w", sequence: 1, part: 0 }))).toEqual([["w", 1, 2], ["w", 4, 1]]);
      expect(await tables.deadLettersOf("w", 2, { workspaceId: "w", sequence: 4, part: 1 })).toEqual([]);
    });

    test("what was set aside is kept, once", async () => {
      const deadLetters = [{ record: record(1), reason: "no record" }];
      await tables.commit({ ...step(), deadLetters });
      await tables.commit({ ...step(), deadLetters });
      const [kept, ...more] = await tables.listSetAside(10);
      expect(more).toEqual([]);
      expect(kept).toMatchObject({ reason: "no record", record: { workspaceId: "w", sequence: 1, part: 0 } });
      expect(new Uint8Array(kept?.record.body ?? [])).toEqual(body);
    });
  });
}
