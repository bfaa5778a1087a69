/** No pattern costs more than a multiple of its text; each way to write one that does is planted once and caught. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { breachesOf, checkPatterns } from "../tools/pattern-rule.ts";

/** Source and what is said of its one pattern. */
const planted: readonly (readonly [source: string, problem: string])[] = [
  // Starts anew at every place, and runs to the end of the blanks each time
  ['const bare = text.replaceAll(/^[ \\t]+|[ \\t]+$/g, "");', "2nd degree polynomial"],
  ['const bare = text.replace(/\\/+$/, "");', "2nd degree polynomial"],
  ["for (const found of text.matchAll(/<[^>]*>/g)) print(found);", "2nd degree polynomial"],
  // The same blanks belong to either of two parts
  ["const empty = /^\\s*;?\\s*$/.test(text);", "2nd degree polynomial"],
  ["const isPair = /(.*)=(.*)\\s/.test(text);", "3rd degree polynomial"],
  ["const isNumber = /^(\\d+\\.?\\d*|\\.\\d+)$/.test(text);", "2nd degree polynomial"],
  // The same text is cut in exponentially many ways
  ["const isWords = /^(\\w+\\s?)*$/.test(text);", "exponential"],
  ["const shape = { pattern: /^(a+)+$/ };", "exponential"],
  ["const isRow = /^(?:a|aa)*$/i.exec(text);", "exponential"],
  // Nothing can judge it
  ["const pattern = new RegExp(`^${name}$`);", "put together when it runs"],
  ["const pattern = RegExp(name);", "put together when it runs"],
  ["const twice = /(a+)\\1/.test(text);", "cannot be judged"],
];

test.each(planted)("caught: %s", (source, problem) => {
  expect(breachesOf(source).map((breach) => breach.problem)).toEqual([expect.stringContaining(problem)]);
});

const clean: readonly string[] = [
  "const isName = /^[\\w-]{1,255}$/.test(text);",
  'const words = text.split(/\\s+/); const bare = text.replaceAll(/[ \\t]+/g, " ");',
  'const [, quoted] = /^"((?:[^"\\\\]|\\\\.)*)"$/.exec(text) ?? [];',
  "const isDomain = /^(?:[a-z\\d]+(?:-+[a-z\\d]+)*\\.)+[a-z]{2,}$/.test(text);",
  'const next = /"(?:[^"\\\\]|\\\\.)*"/y;',
];

test.each(clean)("let through: %s", (source) => {
  expect(breachesOf(source)).toEqual([]);
});

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-patterns-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test("what reads texts of ours is let through by its file, and may not be listed for longer than it is needed", () => {
  const source = "export function bare(text: string) {\n  return text.replace(/ +$/, ``);\n}\n";
  for (const path of ["platform/a.ts", "gateway/b.ts", "gateway/b.test.ts", "gateway/static/c.js", "tools/d.ts"]) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), source);
  }
  const found = [
    expect.stringMatching(/^gateway\/b[.]ts:2: .*2nd degree/),
    expect.stringMatching(/^gateway\/static\/c[.]js:2: .*2nd degree/),
  ];
  expect(checkPatterns(root, new Set(["platform/a.ts"]))).toEqual(found);
  expect(checkPatterns(root, new Set(["platform/a.ts", "gone.ts"]))).toEqual([
    ...found,
    'tools/pattern-rule.ts: "gone.ts" has no pattern any more, take it out',
  ]);
});
