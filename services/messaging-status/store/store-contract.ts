/** What any store of the messaging-status service must do. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { chained, emptyChain, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { type AddressState, unknownAddress } from "../domain/address-state.ts";
import type { StatusTables, StepRows } from "./tables.ts";

export interface ContractStore extends StatusTables {
  /** The next write of a commit fails, and nothing of it is there. */
  breakNextCommit(): void;
  /** The record, which can be read now, waits no more. */
  release(record: LaneRecord): Promise<unknown>;
  close(): Promise<void>;
}

const change = {
  what: "email_status",
  kind: "set",
  before: null,
  after: "unsubscribed",
  at: 1,
  actor: "k",
  requestId: "r",
  sequence: 1,
  part: 0,
};
const all = { from: 0, to: 1_000, limit: 10, offset: 0, ascending: false };

function state(address: string, rest: Partial<AddressState> = {}): AddressState {
  return { ...unknownAddress(address), mark: [2 ** 41, 1], status: "unsubscribed", ...rest };
}

function step(
  states: readonly AddressState[],
  rest: { entries?: readonly LedgerEntry[]; passed?: readonly AddressState[] } = {},
): StepRows {
  const { entries = [], passed = [] } = rest;
  const ends = new Map(entries.map(({ subject, index, hash }) => [subject, { count: index + 1, hash }]));
  return {
    workspaces: [{ workspaceId: "w", states: byAddress(states), passed: Map.groupBy(passed, ({ address }) => address), entries, ends }],
    deadLetters: [],
  };
}

function byAddress(states: readonly AddressState[]): Map<string, AddressState> {
  return new Map(states.map((one) => [one.address, one]));
}

export function describeStatusStore(driver: string, open: () => Promise<ContractStore>): void {
  describe(`the messaging-status store on ${driver}`, () => {
    let tables: ContractStore;
    beforeEach(async () => {
      tables = await open();
    });
    afterEach(() => tables.close());

    test("gives back what was written, for its workspace alone", async () => {
      const one = state("a@b.org", { rejected: { reason: "blocklisted", at: 7 }, spamAt: 8 });
      await tables.commit(step([one]));
      expect(await tables.store.load("w", ["a@b.org", "x@b.org"])).toEqual(new Map([["a@b.org", one]]));
      expect(await tables.store.load("v", ["a@b.org"])).toEqual(new Map());
    });

    test("lists by the time an address came on the list, both ways, in pages, half-open", async () => {
      const states = [1, 3, 2].map((at) => state(`${at}@b.org`, { unsubscribedAt: at }));
      await tables.commit(step([...states, state("none@b.org"), state("+12125550123", { invalid: { reason: "deactivated", at: 2 } })]));
      const list = async (filter: object) =>
        (await tables.store.list("w", "unsubscribed", { ...all, ...filter })).map(({ unsubscribedAt }) => unsubscribedAt);
      expect(await list({})).toEqual([3, 2, 1]);
      expect(await list({ ascending: true })).toEqual([1, 2, 3]);
      expect(await list({ limit: 1, offset: 1 })).toEqual([2]);
      expect(await list({ from: 2, to: 3 })).toEqual([2]);
      expect(await tables.store.list("w", "rejected", all)).toEqual([]);
      expect((await tables.store.list("w", "invalid", all)).map(({ address }) => address)).toEqual(["+12125550123"]);
      expect(await tables.store.list("v", "unsubscribed", all)).toEqual([]);
    });

    test("an address that left a list is not on it", async () => {
      const before = state("a@b.org", { unsubscribedAt: 1, mark: [1, 0] });
      await tables.commit(step([before]));
      await tables.commit(step([state("a@b.org", { status: "opted_in", mark: [2, 0] })], { passed: [before] }));
      expect(await tables.store.list("w", "unsubscribed", all)).toEqual([]);
    });

    test("a commit that breaks leaves everything as it was", async () => {
      const { entry } = chained({ workspaceId: "w", head: emptyChain }, { subject: "a@b.org", ...change });
      tables.breakNextCommit();
      await expect(tables.commit(step([state("a@b.org")], { entries: [entry] }))).rejects.toThrow("planted");
      expect(await tables.store.load("w", ["a@b.org"])).toEqual(new Map());
      await tables.commit(step([state("a@b.org")], { entries: [entry] }));
      expect(await tables.history("w", "a@b.org")).toEqual([entry]);
      expect(await tables.verify("w")).toEqual({ entries: 1, damage: undefined });
    });

    test("lists reach over years, newest and oldest first", async () => {
      const year = 366 * 24 * 3600 * 1000;
      const times = [0, 10, 20].map((count) => count * year + 5);
      await tables.commit(step(times.map((at) => state(`${at}@b.org`, { unsubscribedAt: at }))));
      const list = async (filter: object) =>
        (await tables.store.list("w", "unsubscribed", { ...all, to: 30 * year, ...filter })).map(({ unsubscribedAt }) => unsubscribedAt);
      expect(await list({})).toEqual(times.toReversed());
      expect(await list({ ascending: true, limit: 2 })).toEqual(times.slice(0, 2));
      expect(await list({ from: 6, limit: 1, offset: 1 })).toEqual([times[1]]);
    });

    test("gives back many addresses, with where their chains end", async () => {
      const addresses = Array.from({ length: 50 }, (_, at) => `a${at}@b.org`);
      const entries = addresses.map((subject) => chained({ workspaceId: "w", head: emptyChain }, { subject, ...change }).entry);
      await tables.commit(step(addresses.map((address) => state(address)), { entries }));
      const loaded = await tables.loadForStep("w", [...addresses, "x@b.org"]);
      expect(loaded.states).toEqual(byAddress(addresses.map((address) => state(address))));
      expect(addresses.map((address) => loaded.ends.get(address))).toEqual(entries.map(({ hash }) => ({ count: 1, hash })));
    });

    test("what waits is told with its users, of its workspace alone, until it waits no more", async () => {
      const kept: LaneRecord = { workspaceId: "w", sequence: 2 ** 41, part: 7, key: "one\nother", body: Uint8Array.of(1) };
      await tables.commit({ ...step([]), deadLetters: [{ record: kept, reason: "no record" }] });
      expect(await tables.waiting("w")).toEqual([{ mark: [2 ** 41, 7], keys: ["one", "other"] }]);
      expect(await tables.waiting("v")).toEqual([]);
      await tables.release(kept);
      expect(await tables.waiting("w")).toEqual([]);
      expect(await tables.listSetAside(10)).toEqual([]);
    });

    test("what was set aside is kept, once", async () => {
      const record = { workspaceId: "w", sequence: 1, part: 0, key: "a@b.org", body: Uint8Array.of(1) };
      const whole = { ...step([]), deadLetters: [{ record, reason: "no record" }] };
      await tables.commit(whole);
      await tables.commit(whole);
      expect(await tables.listSetAside(10)).toMatchObject([{ reason: "no record", record: { workspaceId: "w", sequence: 1, part: 0 } }]);
    });

    test("link keys: the newest first; only one where none is wanted twice", async () => {
      const make = (id: number) => ({ id, bytes: Uint8Array.of(id) });
      await Promise.all([tables.linkKeys.add("a", make, { unlessAny: true }), tables.linkKeys.add("a", make, { unlessAny: true })]);
      expect((await tables.linkKeys.all("a")).map(({ id }) => id)).toEqual([1]);
      await tables.linkKeys.add("a", make, { unlessAny: false });
      expect((await tables.linkKeys.all("a")).map(({ id, bytes }) => [id, ...bytes])).toEqual([[2, 2], [1, 1]]);
      await tables.linkKeys.add("", make, { unlessAny: true });
      expect([(await tables.linkKeys.all("")).length, (await tables.linkKeys.all("b")).length]).toEqual([1, 0]);
    });
  });
}
