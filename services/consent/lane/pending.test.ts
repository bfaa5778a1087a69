/** Whose turn it is: order within a user, and no user waits for others. */
import { expect, test } from "vitest";
import { Pending } from "./pending.ts";

type Keys = readonly string[];

/** Items are names; their places are as they are given. */
function pendingOf(items: Readonly<Record<string, Keys>>): Pending<string> {
  const pending = new Pending<string>();
  for (const [at, [item, keys]] of Object.entries(items).entries()) {
    pending.add(item, { mark: [1, at], keys, isOfMany: item.startsWith("M"), goesFirst: item.startsWith("G") });
  }
  return pending;
}

test.each<[what: string, items: Readonly<Record<string, Keys>>, asked: { max?: number; wanted?: Keys }, next: Keys]>([
  ["what concerns few goes before what concerns many", { M1: ["a", "b"], f1: ["c"], f2: ["d"] }, {}, ["f1", "f2"]],
  ["a user's own record takes with it what was said before", { M1: ["a", "b"], M2: ["c"], f1: ["b"] }, {}, ["M1", "f1"]],
  ["and what that waits for", { M1: ["a", "b"], M2: ["b", "c"], f1: ["c"] }, {}, ["M1", "M2", "f1"]],
  ["a record of two users waits for both", { M1: ["a"], M2: ["b"], M3: ["c"], f1: ["a", "b"] }, {}, ["M1", "M2", "f1"]],
  ["who is waited for comes first", { f1: ["a"], f2: ["b"], M1: ["c", "d"] }, { max: 2, wanted: ["d"] }, ["M1"]],
  ["who is waited for and has nothing is no matter", { f1: ["a"] }, { wanted: ["z"] }, ["f1"]],
  ["who is waited for keeps its room", { f1: ["a"], M1: ["b", "c"], f2: ["b"], f3: ["d"] }, { max: 2, wanted: ["d"] }, ["f1", "f3"]],
  ["about so many keys", { f1: ["a"], f2: ["b"], f3: ["c"] }, { max: 2 }, ["f1", "f2"]],
  ["one record may be more", { f1: ["a", "b", "c"], f2: ["d"] }, { max: 2 }, ["f1"]],
  ["where there is no room for all that goes before, that goes first", { M1: ["a"], M2: ["a"], f1: ["a"] }, { max: 2 }, ["M1", "M2"]],
  ["a record that names nobody waits for nobody", { M1: ["a"], f1: [] }, {}, ["f1"]],
  ["a user named twice is one", { f1: ["a", "a"], f2: ["a"] }, {}, ["f1", "f2"]],
  ["nothing but what concerns many", { M1: ["a"] }, {}, []],
])("%s", (_, items, { max = 100, wanted = [] }, next) => {
  expect(pendingOf(items).next(max, new Set(wanted), "wanted")).toEqual(next);
});

test("what concerns few has the first choice where it is its turn", () => {
  const pending = pendingOf({ f1: ["a"], f2: ["b"], M1: ["c", "d"] });
  expect([pending.next(2, new Set(["c"]), "few"), pending.next(2, new Set(["c"]), "wanted")]).toEqual([["f1", "f2"], ["M1"]]);
});

test("what is judged by goes before all others, and is in first where there is no room for more", () => {
  const pending = pendingOf({ M1: ["a"], f1: ["b"], G1: ["g"], f2: ["b"], G2: ["g"], M2: ["c"] });
  const none = new Set<string>();
  expect([pending.next(2, none, "few"), pending.next(2, new Set(["a"]), "wanted"), pending.nextOfMany(2)]).toEqual([
    ["G1", "G2"],
    ["G1", "G2"],
    ["G1", "G2"],
  ]);
  expect(pending.nextOfMany(3)).toEqual(["M1", "G1", "G2"]);
  pending.remove(["G1"]);
  expect(pending.next(2, none, "few")).toEqual(["f1", "G2"]);
  pending.remove(["G2"]);
  expect(pending.next(2, none, "few")).toEqual(["f1", "f2"]);
});

test("what concerns many goes in its order, with what goes before it", () => {
  const pending = pendingOf({ M1: ["a"], f1: ["b"], M2: ["b", "c"], M3: ["d"] });
  expect(pending.nextOfMany(1)).toEqual(["M1"]);
  pending.remove(["M1"]);
  expect(pending.nextOfMany(1)).toEqual(["f1"]);
  pending.remove(["f1", "nobody's"]);
  expect(pending.nextOfMany(1)).toEqual(["M2"]);
  pending.remove(["M2", "M3"]);
  expect([pending.nextOfMany(1), pending.size, pending.few, pending.many]).toEqual([[], 0, 0, 0]);
});

test("isPast() tells of each user whether all up to a place is applied", () => {
  const pending = pendingOf({ M1: ["a", "b"], f1: ["b"] });
  expect([pending.isPast("a", [1, 0]), pending.isPast("a", [0, 9]), pending.isPast("z", [1, 9])]).toEqual([false, true, true]);
  pending.remove(["M1"]);
  expect([pending.isPast("a", [1, 9]), pending.isPast("b", [1, 0]), pending.isPast("b", [1, 1])]).toEqual([true, true, false]);
});

test("a long chain is gone through without a stack of calls", () => {
  const items = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`M${at}`, [`${at}`, `${at + 1}`]]));
  const pending = pendingOf({ ...items, f1: ["50000"] });
  expect(pending.next(4, new Set(), "few")).toEqual(["M0", "M1"]);
});

/** Whatever is asked, and in whatever steps: each user sees its records in their order, and all of them. */
test("any order of asking keeps each user's order", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % below;
  for (let round = 0; round < 300; round += 1) {
    const items: Record<string, Keys> = {};
    for (let at = 0; at < 30; at += 1) {
      const keys = Array.from({ length: 1 + random(4) }, () => `u${random(8)}`);
      items[`${random(2) === 0 ? "M" : "f"}${at}`] = keys;
    }
    const pending = pendingOf(items);
    const seen: string[] = [];
    for (let turn = 0; turn < 2_000 && pending.size > 0; turn += 1) {
      const wanted = new Set(random(3) === 0 ? Array.from({ length: random(12) }, () => `u${random(20)}`) : []);
      const first = random(2) === 0 ? "wanted" : "few";
      const next = random(2) === 0 ? pending.next(1 + random(6), wanted, first) : pending.nextOfMany(1);
      seen.push(...next);
      pending.remove(next);
    }
    expect(seen).toHaveLength(30);
    const ofUser = (user: string, names: readonly string[]) => names.filter((name) => items[name]?.includes(user));
    for (let user = 0; user < 8; user += 1) expect(ofUser(`u${user}`, seen)).toEqual(ofUser(`u${user}`, Object.keys(items)));
  }
});
