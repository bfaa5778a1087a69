/** Cassandra in memory for tests: replicas of last-write-wins cells, with faults that a test chooses. */
import { Refusal } from "../refusal.ts";
import { splitStatements, type Table, tablesOf } from "./cql.ts";
import { parseStatement } from "./cql-statement.fixture.ts";
import { partitionOf } from "./recording-session.fixture.ts";
import {
  applyTo,
  type Cell,
  type Change,
  emptyPartition,
  mergeInto,
  type Mutation,
  type Partition,
  partitionIn,
  type Replica,
  textOf,
  visibleRows,
} from "./replica-cells.fixture.ts";
import type { Row, Session, Statement } from "./session.ts";

export interface ReplicaOptions {
  /** CQL texts of all tables. */
  readonly schema: readonly string[];
  readonly replicas?: number;
  /** Which replicas a write reaches at once, which later (on `deliver`), and which outcome the writer gets. */
  readonly onWrite?: () => WriteFault | undefined;
  /** The replicas that a read asks; a majority. */
  readonly onRead?: () => readonly number[];
  /** Unix milliseconds, for rows that end by themselves. */
  readonly now?: () => number;
}

/** A write that a majority has not taken must fail; one that no replica ever takes may be `notDone`. */
export interface WriteFault {
  readonly reached: readonly number[];
  readonly later: readonly number[];
  readonly answer: "ok" | "unknown" | "notDone";
}

export interface Replicas {
  session(): Session;
  /** Writes that are still on their way arrive, in an order of the test's choice. */
  deliver(pick?: (waiting: number) => number): void;
  waiting(): number;
  /** Everything that a read of all replicas would give, table by table: for comparing. */
  dump(): unknown;
}

export function openReplicas(options: ReplicaOptions): Replicas {
  const tables = tablesOf(options.schema.flatMap(splitStatements));
  const replicas: Replica[] = Array.from({ length: options.replicas ?? 3 }, () => new Map());
  const all = replicas.map((_, at) => at);
  const underway: { replica: number; mutation: Mutation }[] = [];
  const now = options.now ?? (() => 0);

  function write(statements: readonly Statement[]): void {
    const mutation = statements.map((statement) => changeOf(tables, statement, now()));
    const fault = options.onWrite?.() ?? { reached: all, later: [], answer: "ok" };
    for (const at of fault.reached) applyTo(replicas[at] as Replica, mutation);
    for (const replica of fault.later) underway.push({ replica, mutation });
    if (fault.answer === "unknown") throw new Refusal("OUTCOME_UNKNOWN");
    if (fault.answer === "notDone") throw new Refusal("STORE_UNAVAILABLE");
  }

  function read(statement: Statement): Row[] {
    const parsed = parseStatement(statement.cql);
    const table = tables.get(parsed.table) as Table;
    const list = parsed.where.find(({ column, operator }) => operator === "IN" && table.partitionKey.includes(column));
    if (list === undefined) return readPartition(statement, parsed, table);
    const marker = list.value.replace(":", "");
    return (statement.values[marker] as readonly string[]).flatMap((value) =>
      readPartition({ ...statement, values: { ...statement.values, [marker]: value } }, parsed, table)
    );
  }

  function readPartition(statement: Statement, parsed: ReturnType<typeof parseStatement>, table: Table): Row[] {
    const key = keyOf(table, partitionOf(parsed, table.partitionKey, statement));
    const asked = options.onRead?.() ?? all;
    const merged: Partition = emptyPartition();
    for (const at of asked) mergeInto(merged, replicas[at]?.get(key) ?? emptyPartition());
    // Blocking read repair: what a read has seen, a later read sees
    for (const at of asked) mergeInto(partitionIn(replicas[at] as Replica, key), merged);
    return rowsOf(merged, { table, parsed, statement, now: now() });
  }

  return {
    session: () => sessionOver(read, write),
    waiting: () => underway.length,
    deliver(pick = () => 0) {
      while (underway.length > 0) {
        const [next] = underway.splice(pick(underway.length), 1);
        if (next) applyTo(replicas[next.replica] as Replica, next.mutation);
      }
    },
    dump() {
      const merged: Replica = new Map();
      for (const replica of replicas) for (const [key, partition] of replica) mergeInto(partitionIn(merged, key), partition);
      return [...merged].map(([key, partition]) => [key, visibleRows(partition, now())] as const)
        .filter(([, rows]) => rows.length > 0).sort(([left], [right]) => (left < right ? -1 : 1));
    },
  };
}

function sessionOver(read: (statement: Statement) => Row[], write: (statements: readonly Statement[]) => void): Session {
  return {
    execute: async (statement) => {
      await Promise.resolve();
      if (parseStatement(statement.cql).kind === "select") return read(statement);
      write([statement]);
      return [];
    },
    batch: async (statements) => {
      await Promise.resolve();
      write(statements);
    },
    conditional: () => Promise.reject(new Error("Expected no conditional write: these replicas know none")),
    page: async (statement, { rowsMax, from }) => {
      await Promise.resolve();
      const rows = read(statement);
      const start = Number(from ?? 0);
      const end = start + rowsMax;
      return { rows: rows.slice(start, end), next: end < rows.length ? String(end) : undefined };
    },
    close: () => Promise.resolve(),
  };
}

function changeOf(tables: ReadonlyMap<string, Table>, statement: Statement, now: number): Change {
  const parsed = parseStatement(statement.cql);
  const table = tables.get(parsed.table) as Table;
  const key = keyOf(table, partitionOf(parsed, table.partitionKey, statement));
  const stamp = BigInt(statement.values["stamp"] as bigint);
  const clustering = partitionOf(parsed, table.clusteringKey, statement);
  if (parsed.kind === "insert") {
    return { key, deletes: undefined, row: { clustering, cells: insertedCells(parsed, statement, { stamp, now, table }) } };
  }
  if (parsed.columns.length > 0) {
    return {
      key,
      deletes: undefined,
      row: { clustering, cells: parsed.columns.map((column) => [column, { stamp, value: null, ends: undefined }]) },
    };
  }
  const named = table.clusteringKey.filter((column) => parsed.where.some((condition) => condition.column === column));
  if (named.length > 0 && named.length < table.clusteringKey.length) {
    return { key, deletes: stamp, prefix: textOf(clustering.slice(0, named.length)), row: undefined };
  }
  const isWhole = table.clusteringKey.length > 0 && parsed.where.length === table.partitionKey.length;
  return { key, deletes: stamp, row: isWhole ? undefined : { clustering, cells: [] } };
}

/** The cell without a name is the row itself, which is there without any value. */
function insertedCells(
  parsed: ReturnType<typeof parseStatement>,
  statement: Statement,
  { stamp, now, table }: { stamp: bigint; now: number; table: Table },
): [string, Cell][] {
  const ttl = statement.values["ttl"];
  const ends = parsed.using.has("ttl") ? now + Number(ttl) * 1000 : undefined;
  const plain = parsed.columns.filter((column) => !table.partitionKey.includes(column) && !table.clusteringKey.includes(column));
  const cells = plain.map((column): [string, Cell] => {
    const marker = (parsed.values.get(column) ?? "").replace(":", "");
    return [column, { stamp, value: statement.values[marker] ?? null, ends }];
  });
  return [["", { stamp, value: true, ends }], ...cells];
}

function rowsOf(
  partition: Partition,
  { table, parsed, statement, now }: { table: Table; parsed: ReturnType<typeof parseStatement>; statement: Statement; now: number },
): Row[] {
  const key = partitionOf(parsed, table.partitionKey, statement);
  const rows = visibleRows(partition, now).map(({ clustering, cells }): Row =>
    Object.fromEntries([...table.columns.keys()].map((column) => {
      const inKey = table.partitionKey.indexOf(column);
      const inClustering = table.clusteringKey.indexOf(column);
      if (inKey !== -1) return [column, key[inKey]];
      return [column, inClustering === -1 ? cells.get(column) ?? null : clustering[inClustering]];
    }))
  );
  const bounds = parsed.where.filter(({ operator }) => operator in comparisons);
  const named = parsed.where.filter(({ column, operator }) => table.clusteringKey.includes(column) && ["=", "IN"].includes(operator));
  const limit = parsed.limit === undefined ? Infinity : Number(statement.values[parsed.limit.replace(":", "")]);
  const inOrder = parsed.descending ? rows.toReversed() : rows;
  return inOrder.filter((row) =>
    named.every(({ column, value }) => ([statement.values[value.replace(":", "")]].flat() as unknown[]).includes(row[column])) &&
    bounds.every(({ column, operator, value }) => {
      const [left, right] = [row[column], statement.values[value.replace(":", "")]];
      return typeof left === "string"
        ? comparisons[operator]?.(left < String(right) ? -1 : Number(left !== right))
        : comparisons[operator]?.(Number(left) - Number(right));
    })
  ).slice(0, limit).map((row) => Object.fromEntries(parsed.columns.map((column) => [column, row[column]])));
}

/** What a condition says of left less right. */
const comparisons: Readonly<Record<string, (difference: number) => boolean>> = {
  ">": (difference) => difference > 0,
  ">=": (difference) => difference >= 0,
  "<": (difference) => difference < 0,
};

function keyOf(table: Table, values: readonly unknown[]): string {
  return `${table.name} ${textOf(values)}`;
}
