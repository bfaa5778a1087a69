/** The statement rule: values are bound, so no CQL or SQL is put together from anything but constants of its own file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { lineOf, type Node, nodesIn, parseSource, sourceFiles } from "./source.ts";

/**
 * What may stand in a statement though it is no constant of its file, as `path: expression`: names of tables and columns, out of a
 * closed set of the code. Never a value. An entry that nothing needs any more is a breach too.
 */
export const namesInStatements: ReadonlySet<string> = new Set([
  // A keyspace is made by an operator's command; its name is checked, and no marker may stand there
  "platform/cassandra/migrate.ts: keyspace",
  'platform/cassandra/migrate.ts: parts.join(", ")',
  // Tables and columns of layouts, which are constants of the services
  "platform/documents/chunks.ts: table",
  "platform/documents/chunks.ts: which",
  "platform/documents/chunks.ts: columns",
  "platform/documents/chunks.ts: markers",
  "platform/documents/layout.ts: table",
  "platform/documents/layout.ts: partition",
  "platform/documents/layout.ts: id",
  "platform/documents/layout.ts: columns",
  "platform/documents/layout.ts: values",
  "platform/documents/layout.ts: changes",
  "platform/documents/layout.ts: condition",
  "platform/documents/layout.ts: one",
  "platform/documents/layout.ts: some",
  "platform/documents/layout.ts: all",
  "platform/documents/layout.ts: named",
  "platform/documents/layout.ts: whole",
  "platform/documents/layout.ts: found",
  "platform/documents/layout.ts: headed",
  "platform/documents/layout.ts: first",
  "platform/documents/layout.ts: put",
  // Tables of two services, called with constants
  "services/consent/store/dead-letter-sqlite.ts: table",
  "platform/ledger/sqlite.ts: entries",
  "platform/ledger/sqlite.ts: ends",
  "services/messaging-status/store/sqlite.ts: ledger.schema",
  "services/subscription/store/sqlite.ts: ledger.schema",
  // Numbers of the limits table; a PRAGMA takes no marker
  "platform/sqlite/database.ts: limits.storeCacheBytesMax / 1024",
  "platform/sqlite/checkpoints.ts: limits.storeWalPagesWithinCommits",
  "platform/sqlite/database.ts: limits.storeWalBytesKeptMax",
  // The three lists of addresses and their order, by type
  "services/messaging-status/store/sqlite.ts: column",
  "services/messaging-status/store/sqlite.ts: order",
  // Tables of identities and their columns, called with constants
  "services/profile/store/statements.ts: table",
  "services/profile/store/statements.ts: value",
  "services/profile/store/statements.ts: where",
  "services/profile/store/statements.ts: last",
  'services/profile/store/statements.ts: columns.join(", ")',
  'services/profile/store/statements.ts: columns.join(", :")',
  'services/profile/store/statements.ts: [...columns, value].join(", ")',
  // The two tables of users and their columns, called with constants
  "services/profile/store/statements.ts: users",
  "services/profile/store/statements.ts: records",
  "services/profile/store/statements.ts: names",
  "services/profile/store/statements.ts: markers",
  "services/profile/store/statements.ts: ofOne",
  // Tables of consent and of its ledger, and their columns, called with constants
  "services/consent/store/state-row-location.ts: rows",
  "services/consent/store/state-row-location.ts: column",
  "services/consent/store/state-row-location.ts: named",
  'services/consent/store/state-row-location.ts: columns.join(", ")',
  'services/consent/store/state-row-location.ts: columns.join(", :")',
  "platform/ledger/cassandra.ts: table",
  "platform/ledger/cassandra.ts: where",
  'platform/ledger/cassandra.ts: columns.join(", ")',
  'platform/ledger/cassandra.ts: columns.join(", :")',
  // Two columns and two tables, by type
  "services/profile/store/sqlite-users.ts: column",
  "services/profile/store/sqlite.ts: table",
]);

/** Breaches in the tree under `root`, each as `path:line: what and what to do`. */
export function checkStatements(root: string, allowed = namesInStatements): string[] {
  const needed = new Set<string>();
  const paths = sourceFiles(root, ["platform", "gateway", "services", "cli"]).filter((path) => !notProduction.test(path));
  const breaches = paths.flatMap((path) => {
    const found = partsOfStatements(readFileSync(join(root, path), "utf8"));
    return found.flatMap(({ line, part }) => {
      const name = `${path}: ${part}`;
      if (!allowed.has(name)) return [`${path}:${line}: "${part}" in a statement, bind it (or say in tools/statement-rule.ts why not)`];
      needed.add(name);
      return [];
    });
  });
  const left = [...allowed].filter((name) => !needed.has(name));
  return [...breaches, ...left.map((name) => `tools/statement-rule.ts: "${name}" is in no statement any more, take it out`)];
}

const notProduction = /[.](test|fixture)[.]ts$|-contract[.]ts$|\/static\//;

interface Part {
  readonly line: number;
  /** The expression as it is written. */
  readonly part: string;
}

/** Expressions that stand in statements of a source text and are no constants of it. */
export function partsOfStatements(source: string): Part[] {
  const program = parseSource(source);
  const constants = constantsOf(program);
  const found = new Map<number, Part>();
  const messages = new Set<unknown>();
  for (const node of nodesIn(program)) {
    // Texts of errors and patterns name keywords too
    if (node.type === "NewExpression") { for (const given of node["arguments"] as Node[]) messages.add(given); }
    for (const text of messages.has(node) ? [] : textsOf(node)) {
      for (const part of piecesOf(text).filter((piece) => !isConstant(piece, constants))) {
        found.set(part.start, { line: lineOf(source, part), part: source.slice(part.start, part.end) });
      }
    }
  }
  return [...found.values()];
}

/** Begins as a statement does, however it is written, or goes on as only statements do. */
const statement =
  /^\s*(select\b[^]*\bfrom\b|insert\s+into\b|update\b[^]*\bset\b|delete\b[^]*\bfrom\b|(create|alter|drop)\s+(table|keyspace|index|type)\b|truncate\s|pragma\s)/i;
const fragment = /\b(SELECT|WHERE|FROM|VALUES|ORDER BY|GROUP BY|LIMIT|SET|JOIN|UNION|USING (TTL|TIMESTAMP))\b/;
/** What takes statements; whatever it is given in pieces is looked at, also where it reads like nothing. */
const sinks: ReadonlySet<string> = new Set(["prepare", "exec", "execute", "scanTable", "plain"]);
const statementFields: ReadonlySet<string> = new Set(["cql", "sql", "query"]);

/** The node, or what it hands on, where that is a statement put together from pieces. */
function textsOf(node: Node): Node[] {
  const { type } = node;
  if (type === "TemplateLiteral" || isSum(node)) return readsLikeStatement(node) ? [node] : [];
  if (type === "AssignmentExpression" && node["operator"] === "+=") {
    return readsLikeStatement(node["right"] as Node) ? [node["left"] as Node] : [];
  }
  if (type === "CallExpression") return textsOfCall(node);
  if (type === "Property" && statementFields.has(nameOf(node["key"] as Node))) return [node["value"] as Node].filter(isPutTogether);
  return [];
}

function textsOfCall(node: Node): Node[] {
  const callee = node["callee"] as Node;
  const given = node["arguments"] as Node[];
  if (sinks.has(nameOf(callee)) || sinks.has(nameOf(callee["property"] as Node | undefined))) return given.map(plain).filter(isPutTogether);
  if (callee.type !== "MemberExpression") return [];
  const on = plain(callee["object"] as Node);
  const method = nameOf(callee["property"] as Node);
  // "SELECT ... :x".replace(":x", value) and ["SELECT ...", value].join(" ")
  if (changing.has(method) && readsLikeStatement(on)) return given.map(plain).filter((piece) => piece.type !== "Literal");
  if (method !== "join" || on.type !== "ArrayExpression") return [];
  const elements = (on["elements"] as Node[]).map(plain);
  return elements.some(readsLikeStatement) ? elements.filter((piece) => piece.type !== "Literal") : [];
}

const changing: ReadonlySet<string> = new Set(["concat", "replace", "replaceAll"]);

function isPutTogether(node: Node): boolean {
  return node.type === "TemplateLiteral" || isSum(node);
}

function isSum(node: Node): boolean {
  return node.type === "BinaryExpression" && node["operator"] === "+";
}

function readsLikeStatement(node: Node): boolean {
  const text = shown(node);
  return statement.test(text) || fragment.test(text);
}

/** The text of a literal, template or sum, with a hole for what is not known. */
function shown(node: Node): string {
  if (node.type === "Literal") return typeof node["value"] === "string" ? node["value"] : hole;
  if (node.type === "TemplateLiteral") {
    return (node["quasis"] as Node[]).map((quasi) => (quasi["value"] as { cooked: string | null }).cooked ?? "").join(hole);
  }
  if (isSum(node)) return shown(plain(node["left"] as Node)) + shown(plain(node["right"] as Node));
  return hole;
}

const hole = "\u0000";

/** What a text is put together from; the text itself where it is one piece. */
function piecesOf(node: Node): Node[] {
  if (node.type === "Literal") return [];
  if (node.type === "TemplateLiteral") return (node["expressions"] as Node[]).flatMap((piece) => piecesOf(plain(piece)));
  if (isSum(node)) return [node["left"], node["right"]].flatMap((piece) => piecesOf(plain(piece as Node)));
  return [node];
}

function isConstant(node: Node, constants: ReadonlySet<string>): boolean {
  return node.type === "Identifier" && constants.has(nameOf(node));
}

/** Constants at the top of a file whose text is written there; a name that means something else elsewhere in the file is none. */
function constantsOf(program: Node): ReadonlySet<string> {
  const constants = new Set<string>();
  for (const outer of program["body"] as Node[]) {
    const node = outer.type === "ExportNamedDeclaration" && outer["declaration"] ? outer["declaration"] as Node : outer;
    if (node.type !== "VariableDeclaration" || node["kind"] !== "const") continue;
    for (const { id, init } of node["declarations"] as unknown as { id: Node; init: Node | null }[]) {
      const text = init && plain(init);
      if (!text || !["Literal", "TemplateLiteral"].includes(text.type) && !isSum(text)) continue;
      if (piecesOf(text).every((piece) => isConstant(piece, constants))) constants.add(nameOf(id));
    }
  }
  for (const node of nodesIn(program)) for (const name of hiddenBy(node)) constants.delete(name);
  return constants;
}

/** Names of parameters; those of variables inside functions. */
function hiddenBy(node: Node): string[] {
  const params = node["params"];
  const inner = Array.isArray(params) ? params as Node[] : [];
  const body = node.type === "BlockStatement" ? (node["body"] as Node[]).filter(({ type }) => type === "VariableDeclaration") : [];
  const declared = body.flatMap((declaration) => (declaration["declarations"] as { id: Node }[]).map(({ id }) => id));
  const looped = [node["left"], node["init"]].filter((one) => (one as Node | null)?.type === "VariableDeclaration")
    .flatMap((declaration) => ((declaration as Node)["declarations"] as { id: Node }[]).map(({ id }) => id));
  return [...inner, ...declared, ...looped].flatMap(namesIn);
}

/** Names that a pattern binds. */
function namesIn(pattern: Node | null): string[] {
  switch (pattern?.type) {
    case "Identifier":
      return [nameOf(pattern)];
    case "ObjectPattern":
      return (pattern["properties"] as Node[]).flatMap((property) => namesIn((property["value"] ?? property["argument"]) as Node));
    case "ArrayPattern":
      return (pattern["elements"] as (Node | null)[]).flatMap(namesIn);
    case "AssignmentPattern":
      return namesIn(pattern["left"] as Node);
    case "RestElement":
      return namesIn(pattern["argument"] as Node);
    default:
      return [];
  }
}

function nameOf(node: Node | undefined): string {
  return String(node?.["name"] ?? node?.["value"] ?? "");
}

/** Without what only the types see. */
function plain(node: Node): Node {
  return /^(TS(As|Satisfies|NonNull)|Parenthesized)/.test(node.type) ? plain(node["expression"] as Node) : node;
}
