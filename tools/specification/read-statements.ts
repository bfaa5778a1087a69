/**
 * The statements of the specification, read from the files of test/statements: sections (`## id: title`) of numbered statements
 * (`4. what it says`), each followed by indented lines: the tests that try it (`users-track: title` is the test of that title in
 * test/http/users-track.test.ts), or what is said in their place. A number never changes, so that a statement can be found.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Section {
  /** `description/...` is the service description, `facts/...` what settles the points it leaves open; then the section there. */
  readonly id: string;
  readonly title: string;
  readonly statements: readonly Statement[];
}

export interface Statement {
  /** The section's and the number. */
  readonly id: string;
  /** In one short line of our own words. */
  readonly says: string;
  readonly tests: readonly NamedTest[];
  /** `untestable: reason`: no request over HTTP can show it. */
  readonly untestable: string | undefined;
  /** `open: reason`: it does not hold yet. */
  readonly open: string | undefined;
  /** `not on mesh: reason`: its tests leave one shape out. */
  readonly notOn: ReadonlyMap<string, string>;
}

export interface NamedTest {
  readonly path: string;
  readonly title: string;
}

export function readStatements(folder: string): Section[] {
  const files = readdirSync(folder).filter((name) => name.endsWith(".txt")).toSorted();
  return files.flatMap((name) => parseStatements(readFileSync(join(folder, name), "utf8"), name));
}

export function parseStatements(text: string, name: string): Section[] {
  const sections: WritableSection[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    if (line.trim() === "" || line.startsWith("# ") || takes(sections, line)) continue;
    throw new Error(`${name}:${at + 1}: "${line}" is no section, no numbered statement and no indented line under one`);
  }
  return sections;
}

/** Adds what the line says to the last section or statement; false where it says nothing there. */
function takes(sections: WritableSection[], line: string): boolean {
  const section = sections.at(-1);
  const statement = section?.statements.at(-1);
  const heading = pairOf(/^## (\S+): (.+)$/, line);
  const numbered = pairOf(/^(\d+)[.] (.+)$/, line);
  const under = pairOf(/^ {3}(\S.*?): (.+)$/, line);
  if (heading) sections.push({ id: heading[0], title: heading[1], statements: [] });
  else if (section && numbered) section.statements.push(empty(`${section.id}/${numbered[0]}`, numbered[1]));
  else if (statement && under) addTo(statement, ...under);
  else return false;
  return true;
}

function pairOf(pattern: RegExp, line: string): [string, string] | undefined {
  const [, first, second] = pattern.exec(line) ?? [];
  return first === undefined || second === undefined ? undefined : [first, second];
}

type WritableSection = Omit<Section, "statements"> & { readonly statements: Writable[] };
type Writable = { -readonly [Field in keyof Statement]: Statement[Field] } & { tests: NamedTest[]; notOn: Map<string, string> };

function empty(id: string, says: string): Writable {
  return { id, says, tests: [], untestable: undefined, open: undefined, notOn: new Map() };
}

function addTo(statement: Writable, kind: string, said: string): void {
  const [, shape] = /^not on (\S+)$/.exec(kind) ?? [];
  if (kind === "untestable") statement.untestable = said;
  else if (kind === "open") statement.open = said;
  else if (shape !== undefined) statement.notOn.set(shape, said);
  else statement.tests.push({ path: `${kind.includes("/") ? kind : `test/http/${kind}`}.test.ts`, title: said });
}
