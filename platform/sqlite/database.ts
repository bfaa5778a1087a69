/** One SQLite file with group commit: writes that wait at the same time share one durable transaction. */
import type { DatabaseSync, StatementSync } from "node:sqlite";

/**
 * The embedded store. WAL, `synchronous=FULL`: a write that resolved survives a power cut.
 * All parts of an embedded Heddle share one, each with tables of its own prefix.
 */
export interface Database {
  /**
   * Runs `work` inside the next shared transaction and resolves with what it returned once that is durable.
   * `work` is synchronous, must not keep state of its own (it may run again alone when a neighbour throws), and
   * a throw undoes only its own effects. Rejects with Refusal STORE_UNAVAILABLE when the commit failed.
   */
  write<T>(work: () => T): Promise<T>;
  /** A prepared statement, cached by its text. */
  prepare(sql: string): StatementSync;
  /** For reads and for pragmas; never start a transaction on it. */
  readonly handle: DatabaseSync;
  /** Waits for writes under way, checkpoints the WAL and closes. */
  close(): Promise<void>;
}
