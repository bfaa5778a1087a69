/** Ends of texts: what is taken off, and what is not. */
import { expect, test } from "vitest";
import { withoutEnd, withoutEnds } from "./text-ends.ts";

test.each([
  ["https://host//", "/", "https://host"],
  ["//", "/", ""],
  ["", "/", ""],
  ["/a/b", "/", "/a/b"],
  ["1200", "0", "12"],
])("the end of '%s' without '%s' is '%s'", (text, characters, rest) => {
  expect(withoutEnd(text, characters)).toBe(rest);
});

test.each([
  [" \t a b\t ", " \t", "a b"],
  ["\u00a0a\u00a0", " \t", "\u00a0a\u00a0"],
  ["   ", " ", ""],
  ["", " ", ""],
])("both ends of '%s' without '%s' are '%s'", (text, characters, rest) => {
  expect(withoutEnds(text, characters)).toBe(rest);
});
