/** Names are in the order of their bytes, as the stores have them. */
import { expect, test } from "vitest";
import { byBytes, lastCharacter, listedName } from "./names.ts";

test("byBytes() orders as UTF-8 does, not as UTF-16", () => {
  expect(["\u{1f600}", "b", "\uffee", "a", lastCharacter].sort(byBytes)).toEqual(["a", "b", "\uffee", "\u{1f600}", lastCharacter]);
});

test("listedName() knows external ids, aliases, emails and phones, and nothing else", () => {
  expect(listedName("x:a:b")).toEqual({ kind: "x", name: "a:b" });
  expect(listedName("a:label\u0000name")).toEqual({ kind: "a", name: "label\u0000name" });
  for (const key of ["u:a", "w:x:a", "t:a", "n:users", "m:a"] as const) expect(listedName(key)).toBeUndefined();
});
