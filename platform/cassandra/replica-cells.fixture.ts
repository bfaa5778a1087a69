/** One replica in memory for tests: partitions of rows of cells, of which the latest wins. */
import type { Value } from "./session.ts";

/** The newer wins; of one age a deletion wins over a value, and the greater value over the lesser. */
function later(left: Cell | undefined, right: Cell): Cell {
  if (left === undefined || right.stamp > left.stamp) return right;
  if (left.stamp > right.stamp) return left;
  if (left.value === null) return left;
  if (right.value === null) return right;
  return textOf(right.value) > textOf(left.value) ? right : left;
}

export function mergeInto(into: Partition, from: Partition): void {
  into.deleted = greater(into.deleted, from.deleted);
  for (const [prefix, stamp] of from.ranges) deleteRange(into, prefix, stamp);
  for (const [key, row] of from.rows) {
    const target = rowIn(into, key, row.clustering);
    target.deleted = greater(target.deleted, row.deleted);
    for (const [column, cell] of row.cells) target.cells.set(column, later(target.cells.get(column), cell));
  }
}

export function applyTo(replica: Replica, mutation: Mutation): void {
  for (const { key, deletes, row, prefix } of mutation) {
    const partition = partitionIn(replica, key);
    if (prefix !== undefined && deletes !== undefined) {
      deleteRange(partition, prefix, deletes);
      continue;
    }
    if (deletes !== undefined && row === undefined) partition.deleted = greater(partition.deleted, deletes);
    if (row === undefined) continue;
    const target = rowIn(partition, textOf(row.clustering), row.clustering);
    if (deletes !== undefined) target.deleted = greater(target.deleted, deletes);
    for (const [column, cell] of row.cells) target.cells.set(column, later(target.cells.get(column), cell));
  }
}

export function visibleRows(partition: Partition, now: number): { clustering: readonly unknown[]; cells: Map<string, Cell["value"]> }[] {
  const rows = [...partition.rows.values()].map((row) => {
    const ranges = row.clustering.map((_, at) => partition.ranges.get(textOf(row.clustering.slice(0, at + 1))) ?? never);
    const floor = [row.deleted, ...ranges].reduce(greater, partition.deleted);
    const live = [...row.cells].filter(([, cell]) => cell.stamp > floor && cell.value !== null && (cell.ends ?? Infinity) > now);
    return { clustering: row.clustering, cells: new Map(live.map(([column, cell]) => [column, cell.value])) };
  });
  return rows.filter((row) => row.cells.size > 0).sort((left, right) => compareKeys(left.clustering, right.clustering));
}

function compareKeys(left: readonly unknown[], right: readonly unknown[]): number {
  for (const [at, value] of left.entries()) {
    const other = right[at];
    if (value === other) continue;
    return (value as string | number | bigint) < (other as string | number | bigint) ? -1 : 1;
  }
  return 0;
}

export function textOf(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part === "bigint") return part.toString().padStart(20, "0");
    return part instanceof Uint8Array ? Buffer.from(part).toString("hex") : part;
  });
}

function greater(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

export function emptyPartition(): Partition {
  return { deleted: never, ranges: new Map(), rows: new Map() };
}

function deleteRange(partition: Partition, prefix: string, stamp: bigint): void {
  partition.ranges.set(prefix, greater(partition.ranges.get(prefix) ?? never, stamp));
}

export function partitionIn(replica: Replica, key: string): Partition {
  const partition = replica.get(key) ?? emptyPartition();
  replica.set(key, partition);
  return partition;
}

function rowIn(partition: Partition, key: string, clustering: readonly unknown[]): StoredRow {
  const row = partition.rows.get(key) ?? { clustering, deleted: never, cells: new Map() };
  partition.rows.set(key, row);
  return row;
}

const never = -(2n ** 63n);

export type Replica = Map<string, Partition>;
export type Mutation = readonly Change[];

export interface Partition {
  deleted: bigint;
  /** Ages of deletions of all rows whose clustering begins so (as a text). */
  ranges: Map<string, bigint>;
  rows: Map<string, StoredRow>;
}

interface StoredRow {
  clustering: readonly unknown[];
  deleted: bigint;
  cells: Map<string, Cell>;
}

export interface Cell {
  readonly stamp: bigint;
  readonly value: Value | true;
  readonly ends: number | undefined;
}

export interface Change {
  readonly key: string;
  /** The age of a deletion of the row, or without a row of the partition. */
  readonly deletes: bigint | undefined;
  /** The first values of the clustering of all rows that are deleted, as a text; absent: of one row, or of the partition. */
  readonly prefix?: string;
  readonly row: { readonly clustering: readonly unknown[]; readonly cells: readonly (readonly [string, Cell])[] } | undefined;
}
