/** Maps that are shared while they are empty: what one owner writes, no other has. */
import { expect, test } from "vitest";
import { copyEntries, entriesFrom, noEntries, ownEntries } from "./own-entries.ts";

interface Owner {
  names: ReadonlyMap<string, number>;
}

test("an owner that writes has a map of its own, the same for all its writes; the others stay empty", () => {
  const [ann, ben]: Owner[] = [{ names: noEntries() }, { names: noEntries() }];
  if (ann === undefined || ben === undefined) throw new Error("two owners");
  expect(ann.names).toBe(ben.names);
  const own = ownEntries(ann, "names");
  own.set("a", 1);
  expect(ownEntries(ann, "names")).toBe(own);
  expect([[...ann.names], [...ben.names], noEntries().size]).toEqual([[["a", 1]], [], 0]);
});

test("a copy shares nothing that is written, and what is empty is shared", () => {
  const from = entriesFrom([["a", 1]]);
  const copy: Owner = { names: copyEntries(from) };
  ownEntries(copy, "names").set("b", 2);
  expect([[...from], [...copyEntries(from, (value) => value + 1)]]).toEqual([[["a", 1]], [["a", 2]]]);
  expect([entriesFrom([]), entriesFrom(undefined), copyEntries(new Map())]).toEqual([noEntries(), noEntries(), noEntries()]);
});
