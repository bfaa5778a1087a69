/** The titles of the tests in a source text, without running it; a title that is made of a table is a pattern of its constant pieces. */
import { type Node, nodesIn, parseSource } from "../source.ts";

export interface Title {
  /** The constant pieces, in order; between them anything may stand. */
  readonly pieces: readonly string[];
}

/** With less constant text than this, a pattern would match almost any title. */
const constantCharactersMin = 6;

export function titlesOf(source: string): Title[] {
  const program = parseSource(source);
  const constants = constantsOf(program);
  return [...nodesIn(program)].flatMap((node) => {
    if (node.type !== "CallExpression" || rootOf(node["callee"] as Node) !== "test") return [];
    const first = (node["arguments"] as Node[])[0];
    const text = first && textOf(first, constants);
    if (text === undefined) return [];
    const table = (node["callee"] as Node).type === "CallExpression";
    return [{ pieces: (table ? text.replaceAll(/%[sdifjo#]|\$\w+/g, hole) : text).split(hole) }];
  });
}

export function matches({ pieces }: Title, title: string): boolean {
  if (pieces.length === 1) return pieces[0] === title;
  if (pieces.join("").trim().length < constantCharactersMin) return false;
  return new RegExp(`^${pieces.map((piece) => RegExp.escape(piece)).join("[^]*")}$`).test(title);
}

const hole = "\u0000";

/** What a literal or template says, with a hole for what only running it tells. */
function textOf(node: Node, constants: ReadonlyMap<string, string>): string | undefined {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : undefined;
  if (node.type !== "TemplateLiteral") return undefined;
  const expressions = node["expressions"] as Node[];
  return (node["quasis"] as Node[]).map((quasi, at) => {
    const expression = expressions[at];
    const known = expression?.type === "Identifier" ? constants.get(String(expression["name"])) : undefined;
    return ((quasi["value"] as { cooked: string | null }).cooked ?? "") + (expression ? known ?? hole : "");
  }).join("");
}

/** Texts that are bound at the top of the file; a loop's variable of the same name is rare enough to be read as a breach. */
function constantsOf(program: Node): ReadonlyMap<string, string> {
  const known = new Map<string, string>();
  for (const node of program["body"] as Node[]) {
    if (node.type !== "VariableDeclaration" || node["kind"] !== "const") continue;
    for (const { id, init } of node["declarations"] as { id: Node; init: Node | null }[]) {
      if (init?.type === "Literal" && typeof init["value"] === "string") known.set(String(id["name"]), init["value"]);
    }
  }
  return known;
}

/** `test` of `test(...)`, `test.each(...)(...)` and `test.concurrent(...)`. */
function rootOf(callee: Node): string {
  if (callee.type === "CallExpression") return rootOf(callee["callee"] as Node);
  if (callee.type === "MemberExpression") return rootOf(callee["object"] as Node);
  return String(callee["name"]);
}
