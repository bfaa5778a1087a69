/** A session in memory for tests of one partition at a time: conditions, statics, clustering order and ranges, but no ages and no TTL. */
import { setImmediate } from "node:timers";
import { Refusal } from "../refusal.ts";
import { splitStatements, tablesOf } from "./cql.ts";
import { parseStatement } from "./cql-statement.fixture.ts";
import type { Row, Session, Statement, Value } from "./session.ts";

interface Partition {
  readonly fixed: Record<string, Value>;
  readonly rows: Map<string, Record<string, Value>>;
}

interface Memory {
  readonly tables: ReturnType<typeof tablesOf>;
  readonly partitions: Map<string, Partition>;
}

/** While `away` everything refuses. */
export function memorySession(schema: readonly string[]) {
  const memory: Memory = { tables: tablesOf(schema.flatMap(splitStatements)), partitions: new Map() };
  const state = { away: false };

  async function reach(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (state.away) throw new Refusal("STORE_UNAVAILABLE");
  }

  const session: Session = {
    async execute(statement) {
      await reach();
      if (statement.cql.startsWith("SELECT")) return read(memory, statement);
      write(memory, statement);
      return [];
    },
    async batch(statements) {
      await reach();
      statements.forEach((statement) => write(memory, statement));
    },
    async conditional(statements) {
      await reach();
      if (!statements.every((statement) => holds(memory, statement))) return false;
      statements.forEach((statement) => write(memory, statement));
      return true;
    },
    async page(statement, { rowsMax, from = "0" }) {
      await reach();
      const rows = read(memory, statement);
      const end = Number(from) + rowsMax;
      return { rows: rows.slice(Number(from), end), ...(end < rows.length ? { next: String(end) } : { next: undefined }) };
    },
    close: () => Promise.resolve(),
  };
  return {
    session,
    state,
    dump: () => JSON.stringify([...memory.partitions].map(([place, { fixed, rows }]) => [place, fixed, [...rows]]), bigints),
  };
}

function tableOf(memory: Memory, { cql }: Statement) {
  const parsed = parseStatement(cql);
  const table = memory.tables.get(parsed.table);
  if (table === undefined) throw new Error(`Expected a table of the schema in "${cql}"`);
  return { ...parsed, ...table };
}
/** By column: what an insert gives, or what stands behind WHERE with "=". */
function given(memory: Memory, statement: Statement): Map<string, Value> {
  const { kind, values, where } = tableOf(memory, statement);
  const pairs = kind === "insert"
    ? [...values]
    : where.filter(({ operator }) => operator === "=").map(({ column, value }) => [column, value] as const);
  return new Map(pairs.map(([column, text]) => [column, valueOf(text, statement)]));
}
function valueOf(text: string, { values }: Statement): Value {
  return text.startsWith(":") ? values[text.slice(1)] ?? null : Number(text);
}
function partitionOf(memory: Memory, statement: Statement): Partition {
  const { name, partitionKey } = tableOf(memory, statement);
  const named = given(memory, statement);
  const place = JSON.stringify([name, ...partitionKey.map((column) => named.get(column))]);
  const known = memory.partitions.get(place) ??
    { fixed: Object.fromEntries(partitionKey.map((column) => [column, named.get(column) ?? null])), rows: new Map() };
  memory.partitions.set(place, known);
  return known;
}
function rowKey(memory: Memory, statement: Statement): string {
  const named = given(memory, statement);
  return JSON.stringify(tableOf(memory, statement).clusteringKey.map((column) => named.get(column)));
}
function read(memory: Memory, statement: Statement): Row[] {
  const { partitionKey, clusteringKey, where, limit, name } = tableOf(memory, statement);
  if (where.length === 0) return scan(memory, name);
  const { fixed, rows } = partitionOf(memory, statement);
  const hasStatics = Object.keys(fixed).length > partitionKey.length;
  if (/SELECT DISTINCT/.test(statement.cql)) return hasStatics || rows.size > 0 ? [fixed] : [];
  const bounds = where.filter(({ column }) => clusteringKey.includes(column));
  const found = [...rows.values()].filter((row) =>
    bounds.every(({ column, operator, value }) => compare(row[column], operator, valueOf(value, statement)))
  );
  found.sort((left, right) => order(clusteringKey.map((column) => left[column]), clusteringKey.map((column) => right[column])));
  if (/ORDER BY \w+ DESC/.test(statement.cql)) found.reverse();
  const all = found.map((row) => ({ ...fixed, ...row }));
  return limit === undefined ? all : all.slice(0, Number(valueOf(limit, statement)));
}
function scan({ partitions }: Memory, name: string): Row[] {
  return [...partitions].filter(([place, { rows }]) => place.startsWith(JSON.stringify([name]).slice(0, -1)) && rows.size > 0).map((
    [, { fixed }],
  ) => fixed);
}
function holds(memory: Memory, statement: Statement): boolean {
  const { fixed, rows } = partitionOf(memory, statement);
  const [, column = "", marker = ""] = / IF (\w+) = :(\w+)/.exec(statement.cql) ?? [];
  if (column === "") return true;
  return equal({ ...fixed, ...rows.get(rowKey(memory, statement)) }[column] ?? null, statement.values[marker] ?? null);
}
function write(memory: Memory, statement: Statement): void {
  const { kind, cql, partitionKey, clusteringKey } = { ...tableOf(memory, statement), cql: statement.cql };
  const { fixed, rows } = partitionOf(memory, statement);
  const named = given(memory, statement);
  const key = clusteringKey.every((column) => named.has(column)) ? rowKey(memory, statement) : undefined;
  if (kind === "delete") {
    if (key === undefined) rows.clear();
    else rows.delete(key);
    return;
  }
  const changes = / SET (.+?) WHERE /.exec(cql)?.[1]?.split(",").map((part) =>
    part.split("=").map((side) => side.trim()) as [string, string]
  );
  const columns = new Map([...named, ...(changes ?? []).map(([column, text]) => [column, valueOf(text, statement)] as const)]);
  for (const column of partitionKey) columns.delete(column);
  if (key === undefined) Object.assign(fixed, Object.fromEntries(columns));
  else rows.set(key, { ...rows.get(key), ...Object.fromEntries(columns) });
}

function equal(left: unknown, right: unknown): boolean {
  return left === right;
}

function compare(left: unknown, operator: string, right: unknown): boolean {
  const between = order([left], [right]);
  if (operator === "=") return between === 0;
  return operator === "<" ? between < 0 : operator === ">" ? between > 0 : operator === "<=" ? between <= 0 : between >= 0;
}

/** Texts by their bytes. */
function order(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [at, value] of left.entries()) {
    const other = right[at];
    const between = typeof value === "number"
      ? value - Number(other)
      : Buffer.compare(Buffer.from(String(value)), Buffer.from(String(other)));
    if (between !== 0) return between;
  }
  return 0;
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
