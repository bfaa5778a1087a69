/** A session for tests: records every statement, fails or blocks chosen ones, and refuses what would scan the cluster. */
import { splitStatements, type Table, tablesOf } from "./cql.ts";
import { parseStatement } from "./cql-statement.fixture.ts";
import { limits } from "../limits.ts";
import type { Page, Row, Session, Statement } from "./session.ts";

export interface RecordingSession extends Session {
  /** What ran, one entry a call: a single statement, or those of a batch. */
  readonly calls: readonly (readonly Statement[])[];
  /** The next call with a statement that `matches` fails with `error`; `after`: the inner session has done it by then. */
  failNext(matches: Matches, error: unknown, when?: "before" | "after"): void;
  /** Calls with a statement that `matches` wait, until the returned function lets them go. */
  block(matches: Matches): () => void;
}

type Matches = (statement: Statement) => boolean;

/** `schema`: CQL texts of all tables that may be touched. `inner` does the work; without it every read is empty. */
export function recordingSession(schema: readonly string[], inner: Session = emptySession): RecordingSession {
  const tables = tablesOf(schema.flatMap(splitStatements));
  const calls: (readonly Statement[])[] = [];
  const failures: { matches: Matches; error: unknown; when: "before" | "after" }[] = [];
  const blocks = new Set<{ matches: Matches; gone: Promise<void> }>();

  async function run<Result>(statements: readonly Statement[], call: () => Promise<Result>, check = checkPlan): Promise<Result> {
    for (const statement of statements) check(tables, statement);
    if (statements.length > 1) checkOnePartition(tables, statements);
    calls.push(statements);
    for (const { matches, gone } of blocks) if (statements.some(matches)) await gone;
    const at = failures.findIndex(({ matches }) => statements.some(matches));
    const [failure] = at === -1 ? [] : failures.splice(at, 1);
    if (failure?.when === "before") throw failure.error;
    const result = await call();
    if (failure) throw failure.error;
    return result;
  }

  return {
    calls,
    execute: (statement) => run([statement], () => inner.execute(statement)),
    batch: (statements) => run(statements, () => inner.batch(statements)),
    async conditional(statements) {
      checkConditional(statements);
      return await run(statements, () => inner.conditional(statements), checkRows);
    },
    page: (statement, options) => run([statement], () => inner.page(statement, options)),
    close: () => inner.close(),
    failNext(matches, error, when = "before") {
      failures.push({ matches, error, when });
    },
    block(matches) {
      const { promise: gone, resolve } = Promise.withResolvers<void>();
      const entry = { matches, gone };
      blocks.add(entry);
      return () => {
        blocks.delete(entry);
        resolve();
      };
    },
  };
}

/** Throws where a statement would not go to the replicas of one partition, or leaves its age to a clock. */
export function checkPlan(tables: ReadonlyMap<string, Table>, statement: Statement): void {
  const { kind, using, isConditional } = parseStatement(statement.cql);
  if (kind !== "select" && !isConditional && using.get("timestamp") === undefined) {
    throw new Error(`Expected USING TIMESTAMP, got a write whose age a clock decides: ${statement.cql}`);
  }
  if (isConditional !== (statement.isConditional ?? false)) {
    throw new Error(`Expected isConditional of a statement with IF alone: ${statement.cql}`);
  }
  checkRows(tables, statement);
}

/** The round that decides a conditional write gives all its statements their age. */
function checkConditional(statements: readonly Statement[]): void {
  const parsed = statements.map(({ cql }) => parseStatement(cql));
  if (!parsed.some(({ isConditional }) => isConditional)) throw new Error("Expected a condition in one of the statements, got none");
  if (new Set(parsed.map(({ table }) => table)).size > 1) throw new Error("Expected conditional writes to one table, got several");
  for (const [at, { using }] of parsed.entries()) {
    if (using.has("timestamp")) throw new Error(`Expected no USING TIMESTAMP in a conditional write: ${statements[at]?.cql}`);
  }
}

function checkRows(tables: ReadonlyMap<string, Table>, { cql, values }: Statement): void {
  const { kind, table: name, where, values: inserted, allowsFiltering } = parseStatement(cql);
  const table = tables.get(name);
  if (!table) throw new Error(`Expected a table of the schema, got "${name}": ${cql}`);
  if (allowsFiltering) throw new Error(`Expected a statement without ALLOW FILTERING, got "${cql}"`);
  function names(operator: string): boolean {
    return operator === "=" || (operator === "IN" && kind === "select");
  }
  const fixed = new Set(kind === "insert" ? inserted.keys() : where.filter(({ operator }) => names(operator)).map(({ column }) => column));
  const missing = table.partitionKey.filter((column) => !fixed.has(column));
  if (missing.length > 0) {
    throw new Error(`Expected the whole partition key in the statement, "${missing.join('", "')}" is missing: ${cql}`);
  }
  const markers = table.partitionKey.map((column) => inserted.get(column) ?? where.find((one) => one.column === column)?.value ?? "");
  checkKey(markers.map((marker) => values[marker.replace(":", "")]));
  for (const { value } of where.filter(({ operator }) => operator === "IN")) {
    const named = values[value.replace(":", "")];
    const count = Array.isArray(named) ? named.length : 0;
    if (count > limits.cassandraPartitionsPerRead) throw new Error(`Expected a read of few partitions, got one of ${count}: ${cql}`);
  }
  const all = [...cql.matchAll(/:(\w+)/g)].map((match) => match[1] ?? "");
  const reserved = all.filter((marker) => reservedWords.has(marker));
  if (reserved.length > 0) throw new Error(`Expected markers that are no words of CQL, got "${reserved.join('", "')}": ${cql}`);
  const unbound = all.filter((marker) => values[marker] === undefined);
  if (unbound.length > 0) throw new Error(`Expected values for the markers "${unbound.join('", "')}": ${cql}`);
}

/** Words that a server takes for no name, as far as one might be tempted to use them. */
const reservedWords: ReadonlySet<string> = new Set(
  "add allow and asc batch begin by desc entries from full if in index into is limit not null of on or order set table to token use view where with"
    .split(" "),
);

/** As a server refuses it, of which no wait makes anything else. */
function checkKey(parts: readonly unknown[]): void {
  const bytes = parts.reduce<number>((sum, part) => sum + bytesOf(part), 0);
  if (bytes > keyBytesMax) throw new Error(`Key length of ${bytes} is longer than maximum of ${keyBytesMax}`);
}

function bytesOf(part: unknown): number {
  if (Array.isArray(part)) return Math.max(0, ...part.map(bytesOf));
  return typeof part === "string" ? Buffer.byteLength(part) : 0;
}

const keyBytesMax = 65_535;

/** One partition: equal values of the partition key, whatever the tables. */
function checkOnePartition(tables: ReadonlyMap<string, Table>, statements: readonly Statement[]): void {
  const partitions = new Set(statements.map((statement) => {
    const parsed = parseStatement(statement.cql);
    const key = tables.get(parsed.table)?.partitionKey ?? [];
    return JSON.stringify(partitionOf(parsed, key, statement));
  }));
  if (partitions.size > 1) throw new Error(`Expected a batch of one partition, got ${[...partitions].join(" and ")}`);
}

/** The values of the partition key that a statement is about. */
export function partitionOf(
  { kind, values, where }: ReturnType<typeof parseStatement>,
  key: readonly string[],
  statement: Statement,
): unknown[] {
  return key.map((column) => {
    const text = kind === "insert" ? values.get(column) : where.find((condition) => condition.column === column)?.value;
    return statement.values[(text ?? "").replace(":", "")] ?? null;
  });
}

const emptySession: Session = {
  execute: () => Promise.resolve<readonly Row[]>([]),
  batch: () => Promise.resolve(),
  conditional: () => Promise.resolve(true),
  page: () => Promise.resolve<Page>({ rows: [], next: undefined }),
  close: () => Promise.resolve(),
};
