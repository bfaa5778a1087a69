/** A session for tests that keeps one table of one partition a key: enough of Cassandra for conditional writes. */
import { parseStatement } from "../../platform/cassandra/cql.ts";
import type { Row, Session, Statement, Value } from "../../platform/cassandra/session.ts";
import { Refusal } from "../../platform/refusal.ts";

interface Partition {
  fixed: Record<string, Value>;
  readonly rows: Map<string, Record<string, Value>>;
}

/** `statics` are the static columns, `clustering` the clustering columns; while `away` everything refuses. */
export function onePartitionSession(shape: { key: string; statics: readonly string[]; clustering: readonly string[] }) {
  const partitions = new Map<Value, Partition>();
  const state = { away: false };

  function partitionOf({ values }: Statement): Partition {
    const key = values[shape.key] ?? "";
    const known = partitions.get(key) ?? { fixed: {}, rows: new Map() };
    partitions.set(key, known);
    return known;
  }
  async function reach(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    if (state.away) throw new Refusal("STORE_UNAVAILABLE");
  }
  function read(statement: Statement): Row[] {
    const { fixed, rows } = partitionOf(statement);
    if (Object.keys(fixed).length === 0) return [];
    return rows.size === 0 ? [fixed] : [...rows.keys()].sort().map((name) => ({ ...fixed, ...rows.get(name) }));
  }
  function holds({ cql, values }: Statement, { fixed }: Partition): boolean {
    if (/ IF NOT EXISTS/.test(cql)) return Object.keys(fixed).length === 0;
    const marker = / IF (\w+) = :(\w+)/.exec(cql);
    return marker === null || fixed[marker[1] ?? ""] === values[marker[2] ?? ""];
  }
  function write(statement: Statement, partition: Partition): void {
    const { kind, values: inserted } = parseStatement(statement.cql);
    const name = JSON.stringify(shape.clustering.map((column) => statement.values[column]));
    if (kind === "delete") return void partition.rows.delete(name);
    const pairs = kind === "insert" ? [...inserted] : assignmentsOf(statement.cql);
    const given = Object.fromEntries(pairs.map(([column, text]) => [column, statement.values[text.replace(":", "")] ?? null]));
    if (kind === "update" || !(shape.clustering[0] as string in given)) Object.assign(partition.fixed, without(given, shape.key));
    else partition.rows.set(name, without(given, shape.key));
  }

  const session: Session = {
    async execute(statement) {
      await reach();
      return read(statement);
    },
    batch: () => Promise.reject(new Error("Expected conditional writes alone")),
    async conditional(statements) {
      await reach();
      const [first] = statements;
      const partition = partitionOf(first as Statement);
      if (!statements.every((statement) => holds(statement, partition))) return false;
      for (const statement of statements) write(statement, partition);
      return true;
    },
    async page(statement, { rowsMax, from = "0" }) {
      await reach();
      const rows = read(statement);
      const end = Number(from) + rowsMax;
      return { rows: rows.slice(Number(from), end), next: end < rows.length ? String(end) : undefined };
    },
    close: () => Promise.resolve(),
  };
  return { session, state, dump: () => JSON.stringify([...partitions].map(([key, { fixed, rows }]) => [key, fixed, [...rows]]), bigints) };
}

function assignmentsOf(cql: string): [string, string][] {
  const text = / SET (.+?) WHERE /.exec(cql)?.[1] ?? "";
  return text.split(",").map((part) => part.split("=").map((side) => side.trim()) as [string, string]);
}

function without(record: Record<string, Value>, key: string): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== key));
}

function bigints(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}
