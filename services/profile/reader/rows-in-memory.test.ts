/** Reads of identity rows ask the store only for what no resolver of the process knows to be so. */
import { expect, test } from "vitest";
import type { IdentityKey } from "../domain/identity/identity.ts";
import { createViews } from "../resolve/views.ts";
import { readThroughMemory } from "./rows-in-memory.ts";

const workspaceId = "ws_1";

/** A store whose rows are told from those in memory, and a resolver that has resolved up to 10. */
function opened(appliedThrough: number, partition = 0) {
  const views = createViews();
  const asked: IdentityKey[][] = [];
  const identities = readThroughMemory({
    identities: {
      load(_: string, keys: readonly IdentityKey[]) {
        asked.push([...keys]);
        return Promise.resolve(new Map<IdentityKey, unknown>(keys.map((key) => [key, "of the store"])));
      },
      other: () => "still there",
    },
    rowsOf: (at) => (at === 0 ? views : undefined),
    applied: { decidedThrough: () => appliedThrough },
    partitionOf: () => partition,
  });
  const view = views.of(workspaceId);
  const found = new Map<IdentityKey, unknown>([["x:ann", "u1"], ["r:repeat", { answer: "old" }], ["j:job", {}]]);
  view.load(["x:none", ...found.keys()], found);
  views.confirmed(10);
  return { views, view, asked, identities, load: (...keys: IdentityKey[]) => identities.load(workspaceId, keys) };
}

test("rows in memory are given without a question, those that are known to be absent too; the store is asked for the others", async () => {
  const { load, asked, identities } = opened(10);
  expect(await load("x:ann", "x:none")).toEqual(new Map([["x:ann", "u1"]]));
  expect(asked).toEqual([]);
  expect(await load("x:ann", "x:bob", "u:u1")).toEqual(new Map([["x:ann", "u1"], ["x:bob", "of the store"], ["u:u1", "of the store"]]));
  expect(asked).toEqual([["x:bob", "u:u1"]]);
  expect(identities.other()).toBe("still there");
});

test("a resolver that is behind what is applied, or of another partition, is not asked: another process has taken over", async () => {
  for (const { load } of [opened(11), opened(10, 1)]) expect(await load("x:ann")).toEqual(new Map([["x:ann", "of the store"]]));
});

test("a row that a step is about to change is the store's until the step is confirmed", async () => {
  const { load, view } = opened(10);
  view.put("x:ann", "u2");
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "u1"]]));
  view.keep();
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "of the store"]]));
  view.confirm();
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "u2"]]));
  view.drop();
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "of the store"]]));
});

test("what the store forgets by itself is read there", async () => {
  expect(await opened(10).load("r:repeat", "j:job")).toEqual(new Map([["r:repeat", "of the store"], ["j:job", "of the store"]]));
});

test("a row that the older half of the memory has is given, and one that was found absent since is absent", async () => {
  const { load, view } = opened(10);
  view.evict(5);
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "u1"]]));
  view.load(["x:ann"], new Map());
  expect(await load("x:ann")).toEqual(new Map());
});

test("a row that is on the way to the store is the store's until it is there", async () => {
  const { load, view } = opened(10);
  view.put("x:ann", "u2");
  view.keep();
  view.send();
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "of the store"]]));
  // The resolver goes by it all the same
  view.load(["x:ann"], new Map([["x:ann", "old"]]));
  view.evict(0);
  expect(view.holderOf("x:ann")).toBe("u2");
  view.arrived();
  expect(await load("x:ann")).toEqual(new Map([["x:ann", "u2"]]));
});
