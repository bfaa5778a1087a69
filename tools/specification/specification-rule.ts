/** The specification rule: every statement names tests that exist and run in every shape, or says why not. */
import { existsSync, readFileSync } from "node:fs";
import { join, matchesGlob } from "node:path";
import type { NamedTest, Section, Statement } from "./read-statements.ts";
import { matches, type Title, titlesOf } from "./test-titles.ts";

/** The ways in which the black-box tests run. */
export const shapes = ["node", "deno", "mesh"] as const;

export type Shape = typeof shapes[number];

/** Breaches, each as `id: what and what to do`; `meshFiles` are the beginnings of the names of files that run on the mesh. */
export function checkSpecification(root: string, sections: readonly Section[], meshFiles: readonly string[]): string[] {
  const statements = sections.flatMap((section) => section.statements);
  const ids = statements.map(({ id }) => id);
  const repeated = ids.filter((id, at) => ids.indexOf(id) !== at).map((id) => `${id}: there are two, number one anew`);
  const titlesIn = titleReader(root);
  return [...repeated, ...statements.flatMap((one) => breachesOf(one, titlesIn, meshFiles).map((breach) => `${one.id}: ${breach}`))];
}

type TitlesIn = (path: string) => readonly Title[] | undefined;

function breachesOf(statement: Statement, titlesIn: TitlesIn, meshFiles: readonly string[]): string[] {
  const { tests, notOn, untestable, open } = statement;
  const gone = tests.flatMap((test) => goneOf(test, titlesIn));
  if (untestable !== undefined || open !== undefined) return gone;
  if (tests.length === 0) return ["no test, name one or say why it cannot be tested"];
  const covered = new Set(tests.flatMap(({ path }) => shapesOf(path, meshFiles)));
  const left = shapes.filter((shape) => !covered.has(shape) && !notOn.has(shape));
  const needless = shapes.filter((shape) => covered.has(shape) && notOn.has(shape));
  return [
    ...gone,
    ...left.map((shape) => `none of its tests runs on ${shape}, name one or say why not`),
    ...needless.map((shape) => `its tests run on ${shape}, do not say why not`),
  ];
}

function goneOf({ path, title }: NamedTest, titlesIn: TitlesIn): string[] {
  const titles = titlesIn(path);
  if (!titles) return [`${path} is not there, name another file`];
  return titles.some((one) => matches(one, title)) ? [] : [`${path} has no test "${title}", name another`];
}

function titleReader(root: string): TitlesIn {
  const read = new Map<string, readonly Title[] | undefined>();
  return (path) => {
    const file = join(root, path);
    if (!read.has(path)) read.set(path, existsSync(file) ? titlesOf(readFileSync(file, "utf8")) : undefined);
    return read.get(path);
  };
}

/** Where a test file runs, as vitest.config.ts says. */
export function shapesOf(path: string, meshFiles: readonly string[]): readonly Shape[] {
  if (!path.startsWith("test/http/")) return ["node"];
  const mesh: readonly Shape[] = meshFiles.some((start) => matchesGlob(path, `test/http/${start}*.test.ts`)) ? ["mesh"] : [];
  return path.startsWith("test/http/mesh-") ? mesh : ["node", "deno", ...mesh];
}
