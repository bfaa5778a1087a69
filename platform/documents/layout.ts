/** How documents lie in tables of a keyspace: which were made before there were documents, and stay as they are. */
import type { Row, Value } from "../cassandra/session.ts";

/** A table with the key ((partition), kind, id). */
export interface Layout {
  readonly table: string;
  /** Names of columns. */
  readonly partition: string;
  readonly id: string;
  /** Static columns. */
  readonly head: RowForm;
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
  toRow(value: unknown): Readonly<Record<string, Value>>;
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
  if (kind === "head") return head;
  // A pointer at its chunks
  return kind === chunks?.kind ? textBody : forms?.[kind] ?? jsonIn(json);
}

export function onceStatements({ partition, once }: Layout) {
  if (once === undefined) throw new Error("Expected a kind that is written once");
  const { table, id } = once;
  return {
    select: `SELECT body FROM ${table} WHERE ${partition} = :partition AND ${id} = :id`,
    put: `INSERT INTO ${table} (${partition}, ${id}, body) VALUES (:partition, :id, :body) USING TIMESTAMP :stamp`,
  };
}

/** The statements of one form: made once, so that each is prepared once. */
export function statementsOf({ table, partition, id }: Layout, form: RowForm) {
  const [condition = ""] = form.columns;
  const columns = form.columns.join(", ");
  const values = form.columns.map((column) => `:${column}`).join(", ");
  const changes = form.columns.map((column) => `${column} = :${column}`).join(", ");
  const all = `WHERE ${partition} = :partition AND kind = :kind`;
  const one = `${all} AND ${id} = :id`;
  const some = `${all} AND ${id} > :above AND ${id} < :below`;
  const put = `INSERT INTO ${table} (${partition}, kind, ${id}, ${columns}) VALUES (:partition, :kind, :id, ${values})`;
  return {
    selectHead: `SELECT DISTINCT ${partition}, ${columns} FROM ${table} WHERE ${partition} = :partition`,
    updateHead: `UPDATE ${table} SET ${changes} WHERE ${partition} = :partition IF ${condition} = :was`,
    selectOne: `SELECT ${id}, ${columns} FROM ${table} ${one}`,
    selectUp: `SELECT ${id}, ${columns} FROM ${table} ${some} LIMIT :max`,
    selectDown: `SELECT ${id}, ${columns} FROM ${table} ${some} ORDER BY kind DESC LIMIT :max`,
    selectIds: `SELECT ${id} FROM ${table} ${all}`,
    put,
    putPassing: `${put} USING TTL :ttl`,
    change: `UPDATE ${table} SET ${changes} ${one} IF ${condition} = :was`,
    changePassing: `UPDATE ${table} USING TTL :ttl SET ${changes} ${one} IF ${condition} = :was`,
    drop: `DELETE FROM ${table} ${one}`,
    dropIf: `DELETE FROM ${table} ${one} IF ${condition} = :was`,
  };
}
