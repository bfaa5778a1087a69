/** Every statement of the specification names its tests; each way to lose one is planted once and caught. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { specificationMarkdown } from "../tools/specification/page.ts";
import { parseStatements, readStatements } from "../tools/specification/read-statements.ts";
import { checkSpecification } from "../tools/specification/specification-rule.ts";
import { matches, titlesOf } from "../tools/specification/test-titles.ts";
import { untried } from "../tools/specification/untried.ts";
import { meshFiles } from "../vitest.config.ts";

const here = resolve(import.meta.dirname, "..");

test("every statement of the specification names a test of every shape, or says why not", () => {
  const sections = readStatements(join(here, "test/statements"));
  expect(sections.flatMap(({ statements }) => statements).length).toBeGreaterThan(450);
  expect(checkSpecification(here, sections, meshFiles)).toEqual([]);
});

const source = `
const path = "/users/track";
const other = pathOf();
test("plain", run);
test(\`POST \${path} answers\`, run);
for (const [title, value] of table) test(\`POST \${path} refuses \${JSON.stringify(value)}\`, run);
test.each(rows)("%s is told of %j, $name", run);
test(\`\${other}: \${title}\`, run);
describe("no test", run);
`;

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "heddle-specification-"));
  for (const name of ["everywhere-a", "alone-b", "mesh-c"]) plant(`test/http/${name}.test.ts`, source);
  plant("services/x.test.ts", source);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function plant(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

function breaches(lines: string): string[] {
  const sections = parseStatements(`# A file\n\n## a/b: A section\n\n1. It says\n${lines}`, "a.txt");
  return checkSpecification(root, sections, ["everywhere-", "mesh-"]);
}

const gone = (path: string, title: string) => [`a/b/1: ${path} has no test "${title}", name another`];

test.each([
  ["no test", "", ["a/b/1: no test, name one or say why it cannot be tested"]],
  ["a file that is not there", "   everywhere-d: plain", ["a/b/1: test/http/everywhere-d.test.ts is not there, name another file"]],
  ["a title that is not there", "   everywhere-a: plane", gone("test/http/everywhere-a.test.ts", "plane")],
  ["a title of which a part is there", "   everywhere-a: plain and more", gone("test/http/everywhere-a.test.ts", "plain and more")],
  ["another path in a title", "   everywhere-a: POST /users answers", gone("test/http/everywhere-a.test.ts", "POST /users answers")],
  ["a title that anything would match", "   everywhere-a: a: b", gone("test/http/everywhere-a.test.ts", "a: b")],
  ["a name that is no test", "   everywhere-a: no test", gone("test/http/everywhere-a.test.ts", "no test")],
  ["a file that does not run on the mesh", "   alone-b: plain", ["a/b/1: none of its tests runs on mesh, name one or say why not"]],
  [
    "a file of the mesh alone",
    "   mesh-c: plain",
    ["node", "deno"].map((shape) => `a/b/1: none of its tests runs on ${shape}, name one or say why not`),
  ],
  [
    "a unit test",
    "   services/x: plain",
    ["deno", "mesh"].map((shape) => `a/b/1: none of its tests runs on ${shape}, name one or say why not`),
  ],
  ["an excuse that is not needed", "   everywhere-a: plain\n   not on mesh: no", ["a/b/1: its tests run on mesh, do not say why not"]],
  ["a number twice", "   everywhere-a: plain\n1. Again\n   everywhere-a: plain", ["a/b/1: there are two, number one anew"]],
  [
    "a title that is gone from a statement that is open",
    "   open: later\n   everywhere-a: plane",
    gone("test/http/everywhere-a.test.ts", "plane"),
  ],
])("caught: %s", (_what, lines, expected) => {
  expect(breaches(lines)).toEqual(expected);
});

test.each([
  ["a test", "   everywhere-a: plain"],
  ["a title with a constant of its file", "   everywhere-a: POST /users/track answers"],
  ["a row of a loop", '   everywhere-a: POST /users/track refuses {"a":1}'],
  ["a row of a table", "   everywhere-a: phone is told of [1], Ann"],
  ["a test on one process and another on the mesh", "   alone-b: plain\n   mesh-c: plain"],
  ["a test that says why the mesh is left out", "   alone-b: plain\n   not on mesh: it has no file"],
  ["what cannot be tested", "   untestable: advice"],
  ["what is open", "   open: being built"],
])("let through: %s", (_what, lines) => {
  expect(breaches(lines)).toEqual([]);
});

test("titles are read from the source, with a hole for what only running it tells", () => {
  expect(titlesOf(source).map(({ pieces }) => pieces.join("…"))).toEqual([
    "plain",
    "POST /users/track answers",
    "POST /users/track refuses …",
    "… is told of …, …",
    "…: …",
  ]);
  expect(matches({ pieces: ["in (", ") it"] }, "in (a) it")).toBe(true);
  expect(matches({ pieces: ["in (", ") it is"] }, "in a) it is")).toBe(false);
});

test("a row that was taken out of a table did not run, and is told", () => {
  const sections = parseStatements("## a/b: A section\n1. It says\n   everywhere-a: row 1 is taken\n   alone-b: plain\n", "a.txt");
  const report = (status: string) => ({
    testResults: [{ name: "test/http/everywhere-a.test.ts", assertionResults: [{ fullName: "row 1 is taken", status }] }],
  });
  const run = { shape: "mesh", meshFiles: ["everywhere-"] };
  for (const status of ["passed", "failed"]) expect(untried(sections, report(status), run)).toEqual([]);
  const line = 'a/b/1: on mesh no test "row 1 is taken" of test/http/everywhere-a.test.ts ran, name another';
  expect(untried(sections, report("skipped"), run)).toEqual([line]);
  expect(untried(sections, { testResults: [] }, run)).toEqual([line]);
});

test("the page says what is open, and how much is tried", () => {
  const lines = "1. It says\n   everywhere-a: plain | <b>\n2. It also says\n   open: being built\n3. It asks\n   untestable: advice\n";
  const page = specificationMarkdown(parseStatements(`## a/b: A section\n${lines}`, "a.txt"));
  expect(page).toContain("3 statements: 1 tried, 1 that no request can show, 1 open.");
  expect(page).toContain("- `a/b/2` It also says: being built");
  expect(page).toContain("| 1 | It says | everywhere-a: plain \\| \\<b\\> |");
});

test("a line that is nothing is named", () => {
  expect(() => parseStatements("## a/b: A section\n1. It says\n  users-track: two spaces\n", "a.txt")).toThrow(
    'a.txt:3: "  users-track: two',
  );
  expect(() => parseStatements("1. It says\n", "a.txt")).toThrow("a.txt:1");
});
