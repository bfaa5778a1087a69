/** Tests of names and of lists of sharers. */
import { describe, expect, test } from "vitest";
import type { Recency, Sharer } from "./identity.ts";
import { aliasKey, firstKey, inserted, left, nameless, touched, withAddresses } from "./user-names.ts";

function sharer(id: string, updated: Recency): Sharer {
  return { id, identified: false, updated };
}

function shown(list: readonly Sharer[]): [string, Recency][] {
  return list.map(({ id, updated }) => [id, updated]);
}

describe("inserted()", () => {
  test.each<[string, [string, Recency][], Recency, [string, Recency][]]>([
    ["alone: no recency", [], [0, 0], [["n", [0, 0]]]],
    ["a second member begins recency", [["a", [0, 0]]], [5, 2], [["a", [0, 1]], ["n", [5, 2]]]],
    ["at the place of its recency", [["a", [3, 0]], ["b", [5, 2]], ["c", [5, 4]]], [5, 3], [["a", [3, 0]], ["b", [5, 2]], ["n", [5, 3]], [
      "c",
      [5, 4],
    ]]],
    ["one that comes back to what it held before all is the oldest", [["a", [0, 0]]], [0, 0], [["n", [0, 1]], ["a", [0, 2]]]],
  ])("%s", (_, before, updated, after) => {
    const list = before.map(([id, at]) => sharer(id, at));
    expect(shown(inserted(list, sharer("n", updated)))).toEqual(after);
    expect(shown(list)).toEqual(before);
  });
});

describe("touched(), left()", () => {
  const list = [sharer("a", [1, 0]), sharer("b", [2, 0])];

  test("the touched member is the last, the others stay; strangers change nothing", () => {
    expect(shown(touched(list, "a", [3, 0]))).toEqual([["b", [2, 0]], ["a", [3, 0]]]);
    expect(shown(left(list, "a"))).toEqual([["b", [2, 0]]]);
    expect(touched(list, "c", [3, 0])).toBe(list);
    expect(left(list, "c")).toBe(list);
  });
});

describe("withAddresses()", () => {
  const row = nameless("u");

  test.each([
    ["nothing to change", { email: null }, row],
    ["a status waits without an email", { emailStatus: "unsubscribed" as const }, { ...row, heldEmailStatus: "unsubscribed" }],
    ["and not with one", { email: "a@b.c", emailStatus: "unsubscribed" as const }, { ...row, email: "a@b.c" }],
  ])("%s", (_, change, after) => {
    expect(withAddresses(row, change)).toEqual(after);
  });

  test("a waiting status leaves when an email comes", () => {
    expect(withAddresses({ ...row, heldEmailStatus: "opted_in" }, { email: "a@b.c" })).toEqual({ ...row, email: "a@b.c" });
  });
});

test("firstKey() keeps kinds of names apart", () => {
  expect(firstKey({ by: "alias", label: "__proto__", name: "n" })).toBe(aliasKey("__proto__", "n"));
  expect(firstKey({ by: "externalId", id: "p:1" })).toBe("x:p:1");
});
