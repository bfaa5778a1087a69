/** The Cassandra port: what Heddle asks of a cluster, small enough for tests to record, fail and block it. */
import { mayBeTooMuch } from "./outcome.ts";

/**
 * One keyspace of a cluster. Reads see every write that was confirmed before them.
 * Reads refuse with STORE_UNAVAILABLE. A failed write is STORE_UNAVAILABLE where it certainly did not happen and
 * OUTCOME_UNKNOWN where it may have; either way it may be repeated, but for a conditional one.
 * A statement that the cluster does not take is a fault and thrown as it comes.
 */
export interface Session {
  /** Runs one statement: a write, or a read of rows that fit into one page. */
  execute(statement: Statement): Promise<readonly Row[]>;
  /** Writes to one partition (of one or more tables that share its key), all or none, also for readers. */
  batch(statements: readonly Statement[]): Promise<void>;
  /**
   * Writes to one partition of one table, at least one with a condition: all of them and true, or none and false where a
   * condition does not hold. For rows that are only ever written so; serial within the local datacenter.
   */
  conditional(statements: readonly Statement[]): Promise<boolean>;
  /** At most `rowsMax` rows of a read; `from` is the `next` of the page before. */
  page(statement: Statement, options: { readonly rowsMax: number; readonly from?: string }): Promise<Page>;
  close(): Promise<void>;
}

export interface WatchedSession extends Session {
  /** Calls back when a node came or went, before any statement goes to one that came: rows may be put back while nodes are away. */
  onNodeChange(listener: () => void): () => void;
}

export interface Statement {
  /** A constant text with named markers (`:user_id`), prepared once. */
  readonly cql: string;
  /** By the marker's name. A marker `stamp` is the age of a write: an older one never wins over a newer one. */
  readonly values: Readonly<Record<string, Value>>;
  /**
   * Of a read of rows that are written with conditions: it ends those that are under way first, so that what it saw of the partition
   * is what later reads see.
   */
  readonly serial?: boolean;
  /** Running it twice is not as running it once, so the driver never repeats it. Those of `conditional` need not say so. */
  readonly isConditional?: true;
}

/** null deletes a cell. `bigint` is for columns of that type and for ages. */
export type Value = string | number | bigint | Uint8Array | readonly string[] | readonly number[] | null;

/** By column name; an absent cell is null. */
export type Row = Readonly<Record<string, unknown>>;

export interface Page {
  readonly rows: readonly Row[];
  /** Undefined at the end. */
  readonly next: string | undefined;
}

/** All rows of a read, however many pages they take: for partitions that are known to stay small. */
export async function readAll(session: Session, statement: Statement, rowsMax: number): Promise<Row[]> {
  const rows: Row[] = [];
  for await (const page of pagesOf(session, statement, rowsMax)) {
    for (const row of page) rows.push(row);
  }
  return rows;
}

/** A whole table, page by page. For backups: it goes to every node. */
export function scanTable(session: Session, cql: string, rowsMax: number): AsyncGenerator<readonly Row[]> {
  return pagesOf(session, { cql, values: {} }, rowsMax);
}

/**
 * A read, page by page, without reading further than it is asked. Of large rows, of which many do not come together, fewer at a time, and more again after
 * some pages: the store may have been slow for another reason.
 */
export async function* pagesOf(session: Session, statement: Statement, rowsMax: number): AsyncGenerator<readonly Row[]> {
  let from: string | undefined;
  let pages = 0;
  for (let most = rowsMax;;) {
    let page: Page;
    try {
      page = await session.page(statement, from === undefined ? { rowsMax: most } : { rowsMax: most, from });
    } catch (error) {
      if (most === 1 || !mayBeTooMuch(error)) throw error;
      // Few attempts: each may take as long as a statement may
      most = Math.max(1, Math.trunc(most / fewerTimes));
      pages = 0;
      continue;
    }
    yield page.rows;
    if (page.next === undefined) return;
    from = page.next;
    pages += 1;
    if (pages % pagesBeforeMore === 0) most = Math.min(rowsMax, most * fewerTimes);
  }
}

const fewerTimes = 10;
const pagesBeforeMore = 32;
