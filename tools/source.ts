/** The source texts that the rules look into, and the syntax of one. */
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseAst } from "vitest/node";

/** Files below the folders of `root`, as paths relative to it, in one order on every machine. */
export function sourceFiles(root: string, folders: readonly string[]): string[] {
  return folders.filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => join(folder, name)))
    .filter((path) => /[.](ts|mjs|js)$/.test(path) && !path.includes("node_modules"))
    .toSorted();
}

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

/** The program that the text is. */
export function parseSource(source: string): Node {
  return parseAst(source, { lang: "ts" }) as unknown as Node;
}

/** The node and all below it. */
export function* nodesIn(node: Node): Generator<Node> {
  yield node;
  for (const value of Object.values(node)) {
    for (const inner of Array.isArray(value) ? value : [value]) {
      if (typeof (inner as Node | null)?.type === "string") yield* nodesIn(inner as Node);
    }
  }
}

/** From 1. */
export function lineOf(source: string, { start }: Node): number {
  return source.slice(0, start).split("\n").length;
}
