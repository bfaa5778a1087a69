/** The pattern rule: no regular expression of the running code can cost more than a multiple of the text that it is given. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { lineOf, type Node, nodesIn, parseSource, sourceFiles } from "./source.ts";

/**
 * Files whose patterns see only texts that Heddle itself writes: no request, no answer of another server, no file that is imported.
 * They are not judged. An entry that nothing needs any more is a breach too.
 */
export const readersOfOurTexts: ReadonlySet<string> = new Set([
  // Reads statements that Heddle itself writes
  "platform/cassandra/cql.ts",
]);

/** Breaches in the tree under `root`, each as `path:line: what and what to do`. */
export function checkPatterns(root: string, allowed = readersOfOurTexts): string[] {
  const needed = new Set<string>();
  const paths = sourceFiles(root, ["platform", "gateway", "services", "cli", "client"]).filter((path) => !notRunning.test(path));
  const breaches = paths.flatMap((path) => {
    const source = readFileSync(join(root, path), "utf8");
    if (allowed.has(path)) {
      if (hasPattern(source)) needed.add(path);
      return [];
    }
    return breachesOf(source).map(({ line, pattern, problem }) => `${path}:${line}: ${pattern} ${problem}`);
  });
  const left = [...allowed].filter((name) => !needed.has(name));
  return [...breaches, ...left.map((name) => `tools/pattern-rule.ts: "${name}" has no pattern any more, take it out`)];
}

export interface PatternBreach {
  readonly line: number;
  /** As it is written. */
  readonly pattern: string;
  readonly problem: string;
}

/** Patterns of a source text that are slow for some text, or of which that cannot be known. */
export function breachesOf(source: string): PatternBreach[] {
  return [...nodesIn(parseSource(source))].flatMap((node) => {
    const problem = problemOf(node);
    return problem === undefined ? [] : [{ line: lineOf(source, node), pattern: source.slice(node.start, node.end), problem }];
  });
}

function hasPattern(source: string): boolean {
  return [...nodesIn(parseSource(source))].some((node) => isLiteral(node) || isPutTogether(node));
}

function isLiteral(node: Node): boolean {
  return node.type === "Literal" && node["regex"] !== undefined;
}

function isPutTogether(node: Node): boolean {
  const callee = node["callee"] as Node | undefined;
  return (node.type === "NewExpression" || node.type === "CallExpression") && callee?.["name"] === "RegExp";
}

function problemOf(node: Node): string | undefined {
  if (isLiteral(node)) {
    const { pattern, flags } = node["regex"] as { pattern: string; flags: string };
    return verdictOn(pattern, flags);
  }
  if (!isPutTogether(node)) return undefined;
  return "is put together when it runs, so nothing can judge it: write a literal";
}

interface Verdict {
  readonly status: "safe" | "vulnerable" | "unknown";
  readonly complexity?: { readonly summary: string };
  readonly attack?: { readonly pattern: string };
  readonly error?: { readonly kind: string };
}

/** The build in plain JavaScript; the package's own entry looks for Java and native programs first. */
const { checkSync } = createRequire(import.meta.url)("recheck/lib/browser.js") as {
  checkSync(pattern: string, flags: string, options: typeof exact): Verdict;
};

/** By proof alone: a search for slow texts would find on one day what it does not on another. The slowest of the code takes some seconds. */
const exact = { checker: "automaton", maxNFASize: 200_000, timeout: 60_000 } as const;

function verdictOn(pattern: string, flags: string): string | undefined {
  const { status, complexity, attack, error } = checkSync(pattern, flags, exact);
  if (status === "safe") return undefined;
  if (status === "unknown") return `cannot be judged (${error?.kind ?? "no reason given"}): write it simpler`;
  return `takes ${complexity?.summary ?? "too long"} for ${
    attack?.pattern ?? "some text"
  }: write it so that a text can be read in one way only, ` +
    "or take it apart without a pattern";
}

const notRunning = /[.](test|fixture)[.]ts$|-contract[.]ts$/;
