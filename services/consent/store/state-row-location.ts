/** Where a user's or an address's row and entries lie: by themselves, or with others of its bucket, which are read and written together. */
import { bucketOf as spreadOf } from "../../../platform/cassandra/buckets.ts";
import type { Value } from "../../../platform/cassandra/session.ts";
import { type LedgerTable, ledgerTable } from "../../../platform/ledger/cassandra.ts";

export interface StateTables {
  /** Rows of keys that are bound as `:some`, of those who lie together in `:buckets`. */
  readonly select: string;
  readonly put: string;
  /** All rows of all partitions, for a backup alone. */
  readonly scan: string;
  readonly ledger: LedgerTable;
}

export interface StateRowLocation extends StateTables {
  /** Columns before that of the user or address. */
  readonly key: Readonly<Record<string, Value>>;
  /** Of Cassandra: rows of equal ones are written together. */
  readonly partition: string;
  /** The part of the list of subjects that names it. */
  readonly listBucket: number;
}

/** The columns of a service's tables. */
export interface StateColumns {
  /** Of the user or address. */
  readonly column: string;
  /** Those who lie by themselves. */
  readonly alone: StateTables;
  /** Those who lie with others; absent: none do. */
  readonly together?: StateTables;
}

/** Which of them a service uses for whom. */
export interface StateLayout extends StateColumns {
  readonly bucketOf: StateBucketOf;
}

/** Undefined: it lies by itself. */
export type StateBucketOf = (workspaceId: string, key: string) => number | undefined;

/** `key`: the columns before that of the user or address. */
export function stateTables(
  { rows, ledger, column }: { readonly rows: string; readonly ledger: string; readonly column: string },
  key: readonly string[],
): StateTables {
  const columns = [...key, column];
  const named = key.map((name) => name === "bucket" ? "bucket IN :buckets" : `${name} = :${name}`).join(" AND ");
  return {
    select: `SELECT ${column}, body FROM ${rows} WHERE ${named} AND ${column} IN :some`,
    put: `INSERT INTO ${rows} (${columns.join(", ")}, body) VALUES (:${columns.join(", :")}, :body) USING TIMESTAMP :stamp`,
    scan: `SELECT workspace_id, ${column}, body FROM ${rows}`,
    ledger: ledgerTable(ledger, key),
  };
}

export function locationOf({ alone, together, bucketOf }: StateLayout, workspaceId: string, key: string): StateRowLocation {
  const bucket = bucketOf(workspaceId, key);
  if (bucket === undefined || together === undefined) {
    return { ...alone, key: { workspace_id: workspaceId }, partition: `${workspaceId} ${key}`, listBucket: spreadOf(key) };
  }
  const partition = `${workspaceId} ${bucket}`;
  return { ...together, key: { workspace_id: workspaceId, bucket }, partition, listBucket: spreadOf(String(bucket)) };
}
