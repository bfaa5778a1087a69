/** Style that no linter knows, as an ordinary test; each failure reads `path:line: problem, what to do instead`. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "..");
const files = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { cwd: root, encoding: "utf8" })
  .split("\n").filter((path) => path !== "" && existsSync(join(root, path)) && !/^(proto|client)\/gen\//.test(path));
const sources = files.filter((path) => /[.](ts|mjs)$/.test(path));
const testFile = /[.](test|fixture)[.]ts$|-contract[.]ts$|^test\//;

/** A word, where it may not stand, and what takes its place. */
const bannedWords: readonly { word: RegExp; where: (path: string) => boolean; instead: string }[] = [
  { word: /\bDate\.now\(|\bnew Date\(\)/, where: inParts, instead: "take the Clock port" },
  { word: /\bMath\.random\(|\brandomUUID\b|\brandomBytes\b/, where: inParts, instead: "take ids and chance from outside (platform/)" },
  {
    word: /^import \{.*"node:http";/,
    where: (path) => inParts(path) || (path.startsWith("platform/") && !testFile.test(path)),
    instead: "take createServer of platform/node-http.ts: an import loads 13 MB more",
  },
  { word: /\bset(Timeout|Interval)\(/, where: inParts, instead: "use Clock.after" },
  { word: /\bprocess\.env\b|\bDeno\./, where: inParts, instead: "read the environment in the command line and pass config" },
  { word: /\bFIXME\b|\bTODO(?!\(#\d+\))/, where: (path) => path !== "test/tidy.test.ts", instead: "finish it, or write TODO(#number)" },
  {
    word: /\b(status|statusCode)\b[^\n]{0,12}[^\d.](400|401|403|404|405|409|413|415|422|429|500|503)\b/,
    where: outsideHttpEdge,
    instead: "throw a Refusal; gateway/render says what status it has",
  },
  { word: /\bCode\.[A-Z]/, where: (path) => inParts(path) && !path.includes("refusal-wire"), instead: "throw a Refusal" },
];

/** How many names of production code have the word: a number may only be made less. docs/glossary.md says what is said instead. */
const replacedWords: Readonly<Record<string, number>> = {
  aside: 3,
  asked: 48,
  asker: 1,
  asks: 1,
  caught: 9,
  drained: 0,
  dues: 0,
  held: 14,
  kept: 25,
  mark: 61,
  marks: 11,
  news: 0,
  nobody: 0,
  parts: 43,
  place: 59,
  plainly: 0,
  poison: 0,
  repeatable: 1,
  said: 9,
  somebody: 0,
  taken: 30,
  teller: 0,
  told: 0,
  whoever: 0,
};
const tinyFilesMax = 51;

test("tidy: every file opens with a sentence that says what it owns", () => {
  const silent = sources.filter((path) => !/^(#![^\n]*\n)?\/\*\*[ \n][^*]*\S/.test(text(path)));
  expect(silent.map((path) => `${path}:1: no opening sentence, say in /** ... */ what the file owns`)).toEqual([]);
});

test("tidy: no file or folder has a name that would attract everything", () => {
  const vague = files.filter((path) => /(^|[/.-])(utils?|helpers?|managers?|common|misc)([/.-]|$)/i.test(path));
  expect(vague.map((path) => `${path}: vague name, name what it does`)).toEqual([]);
});

test("tidy: no banned word", () => {
  const found = sources.flatMap((path) => {
    const rules = bannedWords.filter((rule) => rule.where(path));
    return lines(path).flatMap((line, at) =>
      rules.filter((rule) => rule.word.test(line)).map((rule) => `${path}:${at + 1}: "${rule.word.exec(line)?.[0]}", ${rule.instead}`)
    );
  });
  expect(found).toEqual([]);
});

test("tidy: no name contains utils, helper, manager or common", () => {
  const name = /\b(?:function|const|let|class|interface|type)\s+(\w*(?:[uU]tils|[hH]elper|[mM]anager)\w*|[cC]ommon[A-Z]?\w*)/;
  const found = sources.flatMap((path) =>
    lines(path).flatMap((line, at) => name.test(line) ? [`${path}:${at + 1}: "${name.exec(line)?.[1]}", name what it does`] : [])
  );
  expect(found).toEqual([]);
});

test("tidy: no more names with words that the glossary replaced than there are, and no more tiny files", () => {
  const production = sources.filter((path) => /^(platform|gateway|services|cli)\//.test(path) && !testFile.test(path));
  const declared = /\b(?:function|const|let|class|interface|type|readonly)\s+([a-zA-Z]\w*)/g;
  const names = production.flatMap((path) => {
    return [...new Set([path, ...[...text(path).matchAll(declared)].map(([, name = ""]) => name)])];
  });
  const words = names.flatMap((name) => name.split(/[^a-zA-Z]|(?=[A-Z])/)).map((word) => word.toLowerCase());
  const found = [
    ...Object.entries(replacedWords).map(([word, most]) => [word, most, words.filter((one) => one === word).length] as const),
    ["files of less than 20 lines", tinyFilesMax, production.filter((path) => lines(path).length <= 20).length] as const,
  ];
  const more = found.filter(([, most, count]) => count > most);
  expect(more.map(([what, most, count]) => `${what}: ${count} of ${most}, see docs/glossary.md, or join the file with its user`)).toEqual(
    [],
  );
});

test("tidy: every relative link of a Markdown file leads somewhere", () => {
  const broken = files.filter((path) => path.endsWith(".md")).flatMap((path) =>
    [...text(path).replaceAll(/^```[\s\S]*?^```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)]
      .map((match) => (match[1] ?? "").replace(/#.*$/, ""))
      .filter((link) => link !== "" && !/^[a-z]+:/.test(link) && !existsSync(resolve(root, dirname(path), link)))
      .map((link) => `${path}: link to "${link}" leads nowhere, mend or remove it`)
  );
  expect(broken).toEqual([]);
});

test("tidy: each decision has a number of its own, a date and a status", () => {
  const decisions = files.filter((path) => path.startsWith("docs/decisions/"));
  const numbers = decisions.map((path) => path.slice("docs/decisions/".length, "docs/decisions/0000".length));
  const wrong = decisions.flatMap((path, at) => [
    ...(numbers.indexOf(numbers[at] ?? "") === at ? [] : [`${path}: number ${numbers[at]} is taken, use the next free one`]),
    ...(lines(path)[0]?.startsWith(`# ${Number(numbers[at])}. `) ? [] : [`${path}:1: begin with "# ${Number(numbers[at])}. "`]),
    ...(/^\d{4}-\d\d-\d\d, (in force|proposed|under way|replaced by \[decision \d+\])/m.test(text(path))
      ? []
      : [`${path}:3: say date and status`]),
  ]);
  expect(wrong).toEqual([]);
});

test("tidy: what lies among the code is code: a file without an ending is a leftover", () => {
  const leftovers = files.filter((path) => /^(cli|client|gateway|platform|services|test|tools)\/(.*\/)?[^./]+$/.test(path));
  expect(leftovers.map((path) => `${path}: no ending, delete it or say what it is`)).toEqual([]);
});

test("tidy: no file is longer than 300 lines, none larger than 512 KiB", () => {
  const long = sources.filter((path) => codeLines(path) > 300).map((path) => `${path}: ${codeLines(path)} lines, split it by what it does`);
  const large = files.filter((path) => statSync(join(root, path)).size > 512 * 1024).map((path) =>
    `${path}: over 512 KiB, keep data out of the repository`
  );
  expect([...long, ...large]).toEqual([]);
});

test("tidy: nothing names a machine", () => {
  const machine = /(^|[\s"'(`=])(\/work\/|\/home\/\w|\/Users\/\w|\/root\/|[A-Z]:\\)|resolved": "https?:\/\/(?!registry\.npmjs\.org)/;
  const found = files.filter((path) => path !== "test/tidy.test.ts" && statSync(join(root, path)).size < 512 * 1024).flatMap((path) =>
    lines(path).flatMap((line, at) => machine.test(line) ? [`${path}:${at + 1}: a path or host of one machine, make it relative`] : [])
  );
  expect(found).toEqual([]);
});

test("tidy: the lock file names every optional package, or npm ci stops where the registry lacks one", () => {
  const { packages } = JSON.parse(text("package-lock.json")) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const absent = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) => !packages[`node_modules/${name}`] && !packages[`${path}/node_modules/${name}`])
      .map((name) => `package-lock.json: "${name}" is missing, add its version, os and cpu`)
  );
  expect(absent).toEqual([]);
});

function inParts(path: string): boolean {
  return /^(gateway|services)\//.test(path) && !testFile.test(path);
}

function outsideHttpEdge(path: string): boolean {
  return inParts(path) && !/^gateway\/(render|routes|server|route-table)/.test(path);
}

function text(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function lines(path: string): string[] {
  return text(path).split("\n");
}

function codeLines(path: string): number {
  return lines(path).filter((line) => line.trim() !== "" && !/^\s*(\/\/|\*|\/\*)/.test(line)).length;
}

test("tidy: a limit stands once: of two with one name the latter would count for both", () => {
  const tables = sources.filter((path) => /^platform\/(?:[a-z]+-)?limits[.]ts$/.test(path));
  const names = tables.flatMap((path) => [...readFileSync(join(root, path), "utf8").matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name));
  expect(names.length).toBeGreaterThan(100);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
