/**
 * No import runs up between folders. At every level a folder's own files count as one, and each folder in it with all below as
 * one: the imports between these lead round in no circle. So a folder's own files either lie under the folders in it or over them.
 */
import { type Import, tests } from "./imports.ts";

/** From one folder of a level to another one, "." for the files of the level itself. */
export interface ExceptedEdge {
  /** The folder that both are in. */
  readonly in: string;
  readonly from: string;
  readonly to: string;
  /** Why it cannot be mended now. */
  readonly because: string;
}

/** Only what cannot be mended is excepted: an exception without which there is no circle is a breach, too. */
export const exceptedEdges: readonly ExceptedEdge[] = [];

type Level = Map<string, Map<string, Import>>;

/** A line for each circle: the folder, then an import of each edge of it. Tests and their fixtures may import what they like. */
export function folderBreaches(imports: readonly Import[], excepted: readonly ExceptedEdge[]): string[] {
  const levels = levelsOf(imports.filter(({ from, to }) => ![from, to].some((file) => new RegExp(`^test/|${tests}`).test(file))));
  const before = excepted.filter((edge) => !isNeeded(levels, edge, excepted));
  for (const edge of excepted) levels.get(edge.in)?.get(edge.from)?.delete(edge.to);
  return [
    ...before.map((edge) => `${edge.in}: no-folder-cycle: "${edge.from}" to "${edge.to}" is excepted, which is not needed any more`),
    ...[...levels].flatMap(([folder, level]) => circles(edgesOf(level)).map((trail) => report(folder, level, trail))),
  ];
}

/** Trails that end where they begin, one at least of those that there are. */
export function circles(targets: ReadonlyMap<string, readonly string[]>): string[][] {
  const done = new Set<string>();
  const found: string[][] = [];
  function walk(one: string, trail: readonly string[]): void {
    if (trail.includes(one)) found.push([...trail.slice(trail.indexOf(one)), one]);
    if (done.has(one)) return;
    done.add(one);
    for (const next of targets.get(one) ?? []) walk(next, [...trail, one]);
  }
  for (const one of targets.keys()) walk(one, []);
  return found;
}

function levelsOf(imports: readonly Import[]): Map<string, Level> {
  const levels = new Map<string, Level>();
  for (const one of imports) {
    const [from, to] = [one.from.split("/"), one.to.split("/")];
    const depth = from.findIndex((name, at) => name !== to[at]);
    const [here, there] = [from, to].map((path) => path.length === depth + 1 ? "." : path[depth] ?? "");
    if (here === undefined || there === undefined || here === there || !/[.](ts|mjs|js)$/.test(one.to)) continue;
    const folder = from.slice(0, depth).join("/");
    const level = levels.get(folder) ?? new Map<string, Map<string, Import>>();
    const edges = level.get(here) ?? new Map<string, Import>();
    levels.set(folder, level.set(here, edges.set(there, edges.get(there) ?? one)));
  }
  return levels;
}

function edgesOf(level: Level): Map<string, string[]> {
  return new Map([...level].map(([from, edges]) => [from, [...edges.keys()]]));
}

/** Whether this edge alone, of those that are excepted, would close a circle. */
function isNeeded(levels: ReadonlyMap<string, Level>, edge: ExceptedEdge, excepted: readonly ExceptedEdge[]): boolean {
  const level = levels.get(edge.in);
  if (!level?.get(edge.from)?.has(edge.to)) return false;
  const reached = new Set([edge.to]);
  for (const from of reached) {
    for (const to of level.get(from)?.keys() ?? []) {
      if (!excepted.some((one) => one.in === edge.in && one.from === from && one.to === to)) reached.add(to);
    }
  }
  return reached.has(edge.from);
}

function report(folder: string, level: Level, trail: readonly string[]): string {
  const because = trail.slice(1).map((to, at) => level.get(trail[at] ?? "")?.get(to)).map((one) => `${one?.from} imports ${one?.to}`);
  return `${folder}: no-folder-cycle: ${trail.join(" -> ")}: ${because.join("; ")}. Move what both need below both`;
}
