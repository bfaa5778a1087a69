/** What any store of the subscription service must do. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { chained, emptyChain } from "../../../platform/ledger/ledger.ts";
import type { Group } from "../domain/group.ts";
import { noMemberships, type UserMemberships } from "../domain/memberships.ts";
import type { StepRows, SubscriptionTables } from "./sqlite.ts";

export interface ContractStore extends SubscriptionTables {
  /** Puts records into the lane, as the resolver's step does. */
  send(records: readonly LaneRecord[]): Promise<void>;
  /** The next commit is undone half way. */
  breakNextCommit(): void;
  close(): Promise<void>;
}

const change = { what: "g", kind: "set", before: null, after: "subscribed", at: 1, actor: "k", requestId: "r", sequence: 1, part: 0 };
const body = Uint8Array.of(1, 2, 3);
const group: Group = { id: "g", name: "G", channel: "email", archived: false };

function record(sequence: number, workspaceId = "w"): LaneRecord {
  return { workspaceId, sequence, part: 0, key: "u", body };
}

function user(userId: string): UserMemberships {
  const source: UserMemberships = { ...noMemberships("s"), groups: new Map([["__proto__", "unsubscribed"]]) };
  return {
    userId,
    mark: [2 ** 41, 3],
    groups: new Map([["g", "subscribed"], ["__proto__", "unsubscribed"]]),
    merges: [{ mergeId: "m", undoUntil: 5, source, before: new Map([["g", "subscribed"]]) }],
    absorbed: ["old"],
  };
}

function step(rest: Partial<StepRows["workspaces"][number]> & { taken?: readonly LaneRecord[] } = {}): StepRows {
  const { taken = [], ...workspace } = rest;
  return {
    workspaces: [{ workspaceId: "w", users: new Map(), entries: [], erased: new Set(), ...workspace }],
    setAside: [],
    taken,
  };
}

export function describeSubscriptionStore(driver: string, open: () => Promise<ContractStore>): void {
  describe(`the subscription store on ${driver}`, () => {
    let tables: ContractStore;
    beforeEach(async () => {
      tables = await open();
    });
    afterEach(() => tables.close());

    test("gives back what was written, for its workspace alone", async () => {
      await tables.commit(step({ users: new Map([["u", user("u")]]) }));
      expect(await tables.store.load("w", ["u", "x"])).toEqual(new Map([["u", user("u")]]));
      expect(await tables.store.load("v", ["u"])).toEqual(new Map());
    });

    test("the lane gives records of a workspace in order until they are taken", async () => {
      const records = [record(2 ** 41), record(1), record(2), record(1, "v")];
      await tables.send(records);
      const read = await tables.lane.read(10);
      expect(read.filter(({ workspaceId }) => workspaceId === "w").map(({ sequence }) => sequence)).toEqual([1, 2, 2 ** 41]);
      expect(new Uint8Array(read[0]?.body ?? [])).toEqual(body);
      expect(await tables.lane.read(1)).toHaveLength(1);
      await tables.commit(step({ taken: read.slice(0, 2) }));
      expect(await tables.lane.read(10)).toEqual(read.slice(2));
    });

    test("a commit that breaks leaves everything as it was", async () => {
      await tables.send([record(1)]);
      const { entry } = chained({ workspaceId: "w", head: emptyChain }, { subject: "u", ...change });
      tables.breakNextCommit();
      const whole = step({ users: new Map([["u", user("u")]]), entries: [entry], taken: [record(1)] });
      await expect(tables.commit(whole)).rejects.toThrow("planted");
      expect(await tables.store.load("w", ["u"])).toEqual(new Map());
      expect(await tables.history("w", "u")).toEqual([]);
      expect(await tables.lane.read(10)).toHaveLength(1);
      await tables.commit(whole);
      expect(await tables.history("w", "u")).toEqual([entry]);
      expect(await tables.lane.read(10)).toEqual([]);
    });

    test("a chain goes on where it ended, and is erased with its subject", async () => {
      const first = chained({ workspaceId: "w", head: emptyChain }, { subject: "u", ...change });
      await tables.commit(step({ entries: [first.entry] }));
      const heads = await tables.heads("w", ["u", "x"]);
      expect(heads).toEqual(new Map([["u", first.head], ["x", emptyChain]]));
      const second = chained({ workspaceId: "w", head: first.head }, {
        subject: "u",
        ...change,
        before: "subscribed",
        after: "unsubscribed",
      });
      await tables.commit(step({ entries: [second.entry] }));
      expect(await tables.history("w", "u")).toEqual([first.entry, second.entry]);
      expect(await tables.verify("w")).toEqual({ entries: 2, damage: undefined });
      await tables.commit(step({ erased: new Set(["u"]) }));
      expect(await tables.history("w", "u")).toEqual([]);
      expect(await tables.verify("w")).toEqual({ entries: 0, damage: undefined });
    });

    test("groups are changed from what stands, for their workspace alone", async () => {
      await tables.store.changeGroups("w", (groups) => {
        expect(groups).toEqual([]);
        return [group];
      });
      await tables.store.changeGroups("w", (groups) => groups.map((one) => ({ ...one, archived: true })));
      expect(await tables.store.groups("w")).toEqual([{ ...group, archived: true }]);
      expect(await tables.store.groups("v")).toEqual([]);
      await expect(tables.store.changeGroups("w", () => {
        throw new Error("refused");
      })).rejects.toThrow("refused");
    });

    test("a sweep changes users with a merge whose window is over, no others", async () => {
      const open = { ...user("open"), merges: user("open").merges.map((merge) => ({ ...merge, undoUntil: 50 })) };
      const users = [user("u"), open, { ...user("none"), merges: [] }];
      await tables.commit(step({ users: new Map(users.map((one) => [one.userId, one])) }));
      const seen: string[] = [];
      const sweep = () =>
        tables.store.sweep(6, 10, (one) => {
          seen.push(one.userId);
          one.merges = [];
        });
      expect([await sweep(), await sweep()]).toEqual([1, 0]);
      expect(seen).toEqual(["u"]);
      expect((await tables.store.load("w", ["u"])).get("u")).toEqual({ ...user("u"), merges: [] });
    });

    test("what was set aside is kept and counted", async () => {
      await tables.commit({ ...step(), setAside: [{ record: record(1), reason: "no record" }] });
      expect(tables.setAsideCount()).toBe(1);
    });
  });
}
