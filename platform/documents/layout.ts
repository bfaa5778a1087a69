/** How documents lie in tables of a keyspace: which were made before there were documents, and stay as they are. */
import type { Row, Value } from "../cassandra/session.ts";
import type { Key } from "./documents.ts";

type Columns = Readonly<Record<string, Value>>;

/** A table with the key ((partition), kind, id). */
export interface Layout {
  readonly table: string;
  /** The column that has a partition's name, or the columns that stand for it. */
  readonly partition: string | ((name: string) => Columns);
  /** The name of a column. */
  readonly id: string;
  /** Where ids do not stand in their column as they are. */
  readonly ids?: { toColumn(id: string): Value; fromColumn(value: unknown): string };
  /** No column says the kind. */
  readonly isOfOneKind?: boolean;
  /** Static columns. Without them there is no head, and each document goes by the condition of its own row. */
  readonly head?: RowForm;
  /** The column that has a value as JSON; `body` unless given. */
  readonly json?: string;
  /** Of kinds that are something else. */
  readonly forms?: Readonly<Record<string, RowForm>>;
  /** A kind whose documents are written once, before the change that names them, and never changed: ((partition, id)), with a body. */
  readonly once?: { readonly kind: string; readonly table: string; readonly id: string };
  /** A kind whose values are cut into chunks: ((partition, ...names, version), part), with a body. The names are its id, cut at slashes. */
  readonly chunks?: Chunks;
}

export interface Chunks {
  readonly kind: string;
  readonly table: string;
  readonly names: readonly string[];
}

/** A value as columns and back. */
export interface RowForm {
  /** The first is what conditions look at: it is never null, and another one whenever the value is. */
  readonly columns: readonly string[];
  toRow(value: unknown): Columns;
  fromRow(row: Row): unknown;
}

function jsonIn(column: string): RowForm {
  return {
    columns: [column],
    toRow: (value) => ({ [column]: JSON.stringify(value) }),
    fromRow: (row) => JSON.parse(String(row[column])),
  };
}

export const textBody: RowForm = { columns: ["body"], toRow: (value) => ({ body: String(value) }), fromRow: (row) => row["body"] };

/** A head that counts. */
export const revisionHead: RowForm = {
  columns: ["revision"],
  toRow: (value) => ({ revision: BigInt((value as { readonly revision: number }).revision) }),
  fromRow: (row) => ({ revision: Number(row["revision"]) }),
};

export function formOf({ head, json = "body", forms, chunks }: Layout, kind: string): RowForm {
  if (kind === "head" && head) return head;
  // A pointer at its chunks
  return kind === chunks?.kind ? textBody : forms?.[kind] ?? jsonIn(json);
}

export function partitionOf({ partition }: Layout, name: string): Columns {
  return typeof partition === "string" ? { [partition]: name } : partition(name);
}

/** The columns of the key of a kind, and of a document. */
export function kindOf(layout: Layout, partition: string, kind: string): Columns {
  return { ...partitionOf(layout, partition), ...(layout.isOfOneKind ? {} : { kind }) };
}

export function keyOf(layout: Layout, partition: string, { kind, id }: Key): Columns {
  return { ...kindOf(layout, partition, kind), [layout.id]: idIn(layout, id) };
}

export function idIn({ ids }: Layout, id: string): Value {
  return ids ? ids.toColumn(id) : id;
}

export function idOf({ ids, id }: Layout, row: Row): string {
  return ids ? ids.fromColumn(row[id]) : String(row[id]);
}

export function partitionColumn(layout: Layout): string {
  return Object.keys(partitionOf(layout, ""))[0] ?? "";
}

export function onceStatements(layout: Layout) {
  if (layout.once === undefined) throw new Error("Expected a kind that is written once");
  const { table, id } = layout.once;
  const partition = partitionColumn(layout);
  return {
    select: `SELECT body FROM ${table} WHERE ${partition} = :partition AND ${id} = :id`,
    put: `INSERT INTO ${table} (${partition}, ${id}, body) VALUES (:partition, :id, :body) USING TIMESTAMP :stamp`,
  };
}

/** The statements of one form, made once, so that each is prepared once. A marker has the name of its column. */
export function statementsOf(layout: Layout, form: RowForm) {
  const { table, id } = layout;
  const [condition = ""] = form.columns;
  const partition = Object.keys(partitionOf(layout, ""));
  const kind = Object.keys(kindOf(layout, "", ""));
  const inserted = [...kind, id, ...form.columns];
  const columns = inserted.join(", ");
  const values = inserted.map((column) => `:${column}`).join(", ");
  const changes = form.columns.map(equals).join(", ");
  const whole = partition.map(equals).join(" AND ");
  const named = kind.map(equals).join(" AND ");
  const all = `WHERE ${named}`;
  const one = `${all} AND ${id} = :${id}`;
  const some = `${all} AND ${id} > :above AND ${id} < :below`;
  const found = [id, ...form.columns].join(", ");
  const headed = [...partition, ...form.columns].join(", ");
  const first = layout.isOfOneKind ? id : "kind";
  const put = `INSERT INTO ${table} (${columns}) VALUES (${values})`;
  return {
    selectHead: `SELECT DISTINCT ${headed} FROM ${table} WHERE ${whole}`,
    updateHead: `UPDATE ${table} SET ${changes} WHERE ${whole} IF ${condition} = :was`,
    selectOne: `SELECT ${found} FROM ${table} ${one}`,
    selectUp: `SELECT ${found} FROM ${table} ${some} LIMIT :max`,
    selectDown: `SELECT ${found} FROM ${table} ${some} ORDER BY ${first} DESC LIMIT :max`,
    selectIds: `SELECT ${id} FROM ${table} ${all}`,
    put,
    putPassing: `${put} USING TTL :ttl`,
    /** Of tables in which nothing is written on a condition. */
    putAt: `${put} USING TIMESTAMP :stamp`,
    putPassingAt: `${put} USING TIMESTAMP :stamp AND TTL :ttl`,
    change: `UPDATE ${table} SET ${changes} ${one} IF ${condition} = :was`,
    changePassing: `UPDATE ${table} USING TTL :ttl SET ${changes} ${one} IF ${condition} = :was`,
    drop: `DELETE FROM ${table} ${one}`,
    dropIf: `DELETE FROM ${table} ${one} IF ${condition} = :was`,
  };
}

function equals(column: string): string {
  return `${column} = :${column}`;
}
