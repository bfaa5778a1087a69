/** One SQLite file with group commit: writes that wait at the same time share one transaction. */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { setImmediate } from "node:timers";
import { type Clock, systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { type Logger, silentLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { Unusable } from "../unusable.ts";
import { type CheckpointOptions, type Checkpoints, createCheckpoints, withinCommits } from "./checkpoints.ts";
import { commitFailed, isStoreFault, notWritten } from "./faults.ts";
import { leftOverChanges } from "./left-over.ts";
import { makeOwnerOnly } from "./owner-only.ts";
import { createWalSync, syncFile, type WalSync, type WalSyncDeps } from "./wal-sync.ts";

/**
 * The embedded store. WAL, `synchronous=FULL`: a write that resolved survives a power cut.
 * All parts of an embedded Heddle share one, each with tables of its own prefix.
 */
export interface Database {
  /**
   * Runs `work` inside the next shared transaction and resolves with what it returned once that is durable.
   * `work` is synchronous, must not keep state of its own (it may run again alone when a neighbour throws), and
   * a throw undoes only its own effects. Rejects with Refusal STORE_UNAVAILABLE when the commit failed.
   *
   * Further refusals: OUTCOME_UNKNOWN (a commit that may last or not), OVERLOADED (too many
   * writes wait), SHUTTING_DOWN (after `close`); but for the first, certainly nothing was written. Works run in
   * call order. After a failed commit the next write tries anew, so the store recovers with its disk.
   *
   * With `repeatable` it resolves as soon as the effects can be seen: a power cut may take them back, until `durable`, and
   * then the caller does the same work once more, from what is durable. The end of the process takes nothing back.
   */
  write<T>(work: () => T, options?: WriteOptions): Promise<T>;
  /**
   * Resolves when all that can be seen now is durable: for callers that report what has to stay so, such as a place
   * in a list. Refuses STORE_UNAVAILABLE where the disk failed. What other processes wrote counts too where the database was
   * opened `beside` them.
   */
  durable(): Promise<void>;
  /**
   * A prepared statement, cached by its text, which must be a constant: values are bound, never pasted in.
   * Inside a write use it rather than `handle.exec`, whose errors carry no result code under Deno; and read with
   * `all` or `get`: under Deno `iterate` ends silently where a row cannot be read.
   */
  prepare(sql: string): StatementSync;
  /** For reads and for pragmas; never start a transaction on it. */
  readonly handle: DatabaseSync;
  /** Waits for writes under way, checkpoints the WAL and closes. */
  close(): Promise<void>;
  /** Whether another process, a server, works on the tables, which then must stay as it knows them; none does where it is left out. */
  readonly isServed?: () => boolean;
}

/** One that was opened on its file. */
export interface OpenDatabase extends Database {
  /** Why nothing is written any more until the process starts anew: the disk failed. */
  failure(): Refusal | undefined;
}

interface WriteOptions {
  readonly repeatable?: boolean;
  /** How much the work will do, where that grows while it waits; 1 where it is left out. */
  readonly size?: () => number;
}

/** Opens or makes the file at `path`; `:memory:` gives one that lives as long as the process. Recovers after a crash. */
export function openDatabase(
  { path, beside = false, isServed = () => false, clock = systemClock, logger = silentLogger, sync = syncFile, startThread }:
    DatabaseOptions,
): OpenDatabase {
  return new GroupCommit({ path, beside, isServed }, { clock, logger, sync, startThread });
}

export interface DatabaseOptions extends Partial<WalSyncDeps>, Pick<CheckpointOptions, "startThread"> {
  readonly path: string;
  /** A server may run on the file: what it commits without waiting for the disk can be seen here before it is durable. */
  readonly beside?: boolean;
  /** See Database.isServed. */
  readonly isServed?: () => boolean;
}

function openHandle(path: string, logger: Logger): DatabaseSync {
  const leftOver = path === inMemory ? undefined : leftOverChanges(path);
  if (leftOver !== undefined) {
    throw new Unusable(
      `"${leftOver}" has changes of a database that was here, and a new one would remove them: put that one back, or move the file away`,
    );
  }
  let handle: DatabaseSync | undefined;
  try {
    if (path !== inMemory) makeOwnerOnly(path, (file, error) => logger.error("file_open_to_others", error, { file }));
    handle = new DatabaseSync(path, { timeout: limits.storeBusyTimeoutMs, defensive: true, allowExtension: false });
    handle.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA trusted_schema = OFF;
      PRAGMA cell_size_check = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${limits.storeCacheBytesMax / 1024};
      PRAGMA journal_size_limit = ${limits.storeWalBytesKeptMax};
    `);
    return handle;
  } catch (cause) {
    handle?.close();
    throw new Error(`Cannot open the database "${path}"`, { cause });
  }
}

const inMemory = ":memory:";

class GroupCommit implements OpenDatabase {
  readonly handle: DatabaseSync;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #statements = new Map<string, StatementSync>();
  readonly #begin: StatementSync;
  readonly #commit: StatementSync;
  #queue: Waiting[] = [];
  #scheduled = false;
  /** What the queue does in all, when that was last looked at; since when it waits, and for how many turns of the loop. */
  #size = 0;
  #since = 0;
  #turns = 0;
  #failing = false;
  #closing: Promise<void> | undefined;
  #idle: (() => void) | undefined;
  /** Whether a commit waits for the disk. */
  #syncs = true;
  readonly #walSync: WalSync;
  readonly #checkpoints: Checkpoints;

  readonly #beside: boolean;
  readonly isServed: () => boolean;

  constructor(
    { path, beside, isServed }: Required<Pick<DatabaseOptions, "path" | "beside" | "isServed">>,
    deps: Omit<CheckpointOptions, "walSync">,
  ) {
    this.handle = openHandle(path, deps.logger);
    this.#beside = beside;
    this.isServed = isServed;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#begin = this.handle.prepare("BEGIN IMMEDIATE");
    this.#commit = this.handle.prepare("COMMIT");
    this.#walSync = createWalSync(path === inMemory ? undefined : `${path}-wal`, deps);
    this.#checkpoints = path === inMemory || beside
      ? withinCommits(this.handle)
      : createCheckpoints(this.handle, path, { ...deps, walSync: this.#walSync });
  }

  write<T>(work: () => T, { repeatable = false, size = one }: WriteOptions = {}): Promise<T> {
    if (this.#closing) return Promise.reject(new Refusal("SHUTTING_DOWN", "The store is closed"));
    if (this.#queue.length >= limits.storeWritesWaitingMax) {
      return Promise.reject(new Refusal("OVERLOADED", "Too many writes wait for the store"));
    }
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, repeatable, size, resolve: resolve as (value: unknown) => void, reject, failed: false, outcome: undefined });
      this.#schedule();
    });
  }

  prepare(sql: string): StatementSync {
    const known = this.#statements.get(sql);
    if (known) return known;
    if (this.#statements.size >= limits.storeStatementsMax) {
      throw new Error(`Expected at most ${limits.storeStatementsMax} statement texts: bind values, never paste them in`);
    }
    const statement = this.handle.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  durable(): Promise<void> {
    if (this.#beside) this.#walSync.othersCommitted();
    return this.#walSync.durable();
  }

  failure(): Refusal | undefined {
    return this.#walSync.failure();
  }

  close(): Promise<void> {
    this.#closing ??= this.#drainAndClose();
    return this.#closing;
  }

  async #drainAndClose(): Promise<void> {
    if (this.#scheduled) await new Promise<void>((resolve) => (this.#idle = resolve));
    await this.#checkpoints.close();
    await this.#walSync.close();
    this.#statements.clear();
    // Closing copies the WAL, and what of it is on the disk is unknown then: the next start reads it and its checksums
    if (this.#walSync.failure() !== undefined) return;
    this.handle.close();
    this.#checkpoints.release();
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#size = 0;
    this.#since = this.#clock.monotonic();
    this.#turns = 0;
    setImmediate(() => this.#cycle());
  }

  #cycle(): void {
    if (this.#checkpoints.pause !== undefined) return void this.#checkpoints.pause.then(() => this.#cycle());
    if (this.#grows()) return void setImmediate(() => this.#cycle());
    const batch = this.#take();
    const startedAt = this.#clock.monotonic();
    const refusal = this.#transact(batch);
    this.#report(refusal, batch.length, this.#clock.monotonic() - startedAt);
    for (const waiting of batch) {
      if (refusal) waiting.reject(refusal);
      else if (waiting.failed) waiting.reject(waiting.outcome);
      else waiting.resolve(waiting.outcome);
    }
    this.#scheduled = false;
    if (this.#queue.length > 0) this.#schedule();
    else this.#idle?.();
  }

  /** Whether the last turn of the loop brought more: a transaction takes as long for a few requests as for all that come together. */
  #grows(): boolean {
    const before = this.#size;
    this.#size = this.#queue.reduce((sum, { size }) => sum + size(), 0);
    this.#turns += 1;
    if (this.#size === before || this.#size >= limits.groupCommitWritesMax || this.#turns > limits.groupCommitTurnsMax) return false;
    return this.#clock.monotonic() - this.#since < limits.groupCommitWaitMsMax;
  }

  #take(): Waiting[] {
    if (this.#queue.length > limits.groupCommitWritesMax) return this.#queue.splice(0, limits.groupCommitWritesMax);
    const all = this.#queue;
    this.#queue = [];
    return all;
  }

  /** Runs and commits the batch; the refusal returned holds for all of it. */
  #transact(batch: readonly Waiting[]): Refusal | undefined {
    const failure = this.#walSync.failure();
    if (failure !== undefined) return failure;
    try {
      this.#rollback();
      this.#setSyncs(batch.some(({ repeatable }) => !repeatable) || !this.#walSync.isOpen());
      this.#begin.run();
      if (!this.#runAll(batch)) {
        this.#rollback();
        this.#begin.run();
        this.#runApart(batch);
      }
    } catch (error) {
      return this.#undone(notWritten(error));
    }
    try {
      this.#commit.run();
    } catch (error) {
      const refusal = commitFailed(error);
      if (refusal.reason === "OUTCOME_UNKNOWN") this.#walSync.failed(error);
      return this.#undone(refusal);
    }
    if (!this.#syncs) this.#walSync.committed();
    this.#checkpoints.committed();
    return undefined;
  }

  /** Not a statement that is kept: SQLite does this when it prepares one. */
  #setSyncs(syncs: boolean): void {
    if (this.#syncs === syncs) return;
    this.handle.exec(syncs ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    this.#syncs = syncs;
  }

  /** False as soon as one work throws of its own; then it is unknown whose effects are in the transaction. */
  #runAll(batch: readonly Waiting[]): boolean {
    for (const waiting of batch) {
      try {
        waiting.outcome = waiting.work();
      } catch (error) {
        if (isStoreFault(error)) throw error;
        return false;
      }
      // SQLite rolls back by itself when the disk is full; what follows would commit piece by piece
      if (!this.handle.isTransaction) throw new Error("The transaction ended inside a write");
    }
    return true;
  }

  /** One transaction still, one fsync, but each work in a savepoint, so that the culprit alone is undone. */
  #runApart(batch: readonly Waiting[]): void {
    for (const waiting of batch) {
      this.prepare("SAVEPOINT one_write").run();
      try {
        waiting.outcome = waiting.work();
      } catch (error) {
        if (isStoreFault(error)) throw error;
        waiting.failed = true;
        waiting.outcome = error;
        this.prepare("ROLLBACK TO one_write").run();
      }
      this.prepare("RELEASE one_write").run();
    }
  }

  #undone(refusal: Refusal): Refusal {
    try {
      this.#rollback();
      return refusal;
    } catch (cause) {
      return new Refusal("OUTCOME_UNKNOWN", "The store could neither commit nor roll back", { cause });
    }
  }

  #rollback(): void {
    if (this.handle.isTransaction) this.prepare("ROLLBACK").run();
  }

  /** A full disk would repeat its line thousands of times: said once when it begins and once when it ends. */
  #report(refusal: Refusal | undefined, writes: number, ms: number): void {
    if (refusal && !this.#failing) this.#logger.error("store_write_failed", refusal, { writes });
    if (!refusal && this.#failing) this.#logger.info("store_recovered", { writes });
    if (!refusal && ms >= limits.storeCommitSlowMs) this.#logger.warn("store_commit_slow", { writes, ms });
    this.#failing = refusal !== undefined;
  }
}

function one(): number {
  return 1;
}

interface Waiting {
  readonly work: () => unknown;
  readonly repeatable: boolean;
  readonly size: () => number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
  failed: boolean;
  /** What the work returned, or threw where `failed`. */
  outcome: unknown;
}
