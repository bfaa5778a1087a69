/** When the WAL is copied into the database, so that it begins anew instead of growing. */
import { closeSync, openSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { limits } from "../limits.ts";
import { type CheckpointThread, startCheckpointThread } from "./checkpoint-thread.ts";
import { isSyncFault } from "./faults.ts";
import type { WalSync, WalSyncDeps } from "./wal-sync.ts";

export interface Checkpoints {
  /** After a commit. */
  committed(): void;
  /** Set while what was written during a copy is copied: the next transaction waits for it, so that the WAL begins anew with that. */
  readonly pause: Promise<void> | undefined;
  /** Resolves when nothing is being copied, nothing will be, and no thread has the file open. */
  close(): Promise<void>;
  /** After the database is closed. */
  release(): void;
}

export interface CheckpointOptions extends Pick<WalSyncDeps, "clock" | "logger" | "sync"> {
  readonly walSync: Pick<WalSync, "failure" | "diskFailed">;
  /** An argument so that a test can make it fail. */
  readonly startThread?: ((path: string) => CheckpointThread) | undefined;
}

/**
 * Copies from `storeWalPagesMax` pages on: first beside the writes that go on, then, once that is on the disk, what came
 * meanwhile. Where a thread cannot, the calling one does.
 */
export function createCheckpoints(handle: DatabaseSync, path: string, options: CheckpointOptions): Checkpoints {
  return canUseThread(handle) ? new CheckpointsByThread(handle, path, options) : withinCommits(handle);
}

/**
 * From 3.51 on SQLite tells the length of the WAL without copying it, and from 3.51.3 on a WAL that one connection begins anew while another
 * copies is safe (sqlite.org/wal.html, section 11).
 */
function canUseThread(handle: DatabaseSync): boolean {
  const version = String(handle.prepare("SELECT sqlite_version() AS version").get()?.["version"]).split(".").map(Number);
  const [major = 0, minor = 0, patch = 0] = version;
  return major * 1e6 + minor * 1e3 + patch >= 3_051_003;
}

/** SQLite copies within the commits of this connection. */
export function withinCommits(handle: DatabaseSync): Checkpoints {
  handle.exec(`PRAGMA wal_autocheckpoint = ${limits.storeWalPagesWithinCommits}`);
  return { committed() {}, pause: undefined, close: () => Promise.resolve(), release() {} };
}

class CheckpointsByThread implements Checkpoints {
  pause: Promise<void> | undefined;
  readonly #handle: DatabaseSync;
  readonly #path: string;
  readonly #options: CheckpointOptions;
  readonly #length: StatementSync;
  #thread: CheckpointThread | undefined;
  /** The database's. Open until the database is closed: to close it earlier would take away the locks that SQLite has on it. */
  #file: number | undefined;
  #running: Promise<void> | undefined;
  #ending: Promise<void> = Promise.resolve();
  /** Pages of the WAL after the last commit, and from how many on it is copied: more while a reader, or a fault, keeps it from beginning anew. */
  #pages = 0;
  #pagesMax: number = limits.storeWalPagesMax;
  #cancelRest: (() => void) | undefined;
  #closed = false;

  constructor(handle: DatabaseSync, path: string, options: CheckpointOptions) {
    this.#handle = handle;
    this.#path = path;
    this.#options = options;
    // SQLite says nothing of a copy within a commit that failed
    handle.exec("PRAGMA wal_autocheckpoint = 0");
    this.#length = handle.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  committed(): void {
    if (this.#running !== undefined || this.#closed) return;
    const log = this.#lengthNow();
    if (log < this.#pages) this.#pagesMax = limits.storeWalPagesMax;
    this.#pages = log;
    if (log < this.#pagesMax) return;
    this.#cancelRest?.();
    this.#running = this.#copy().finally(() => {
      this.#running = undefined;
      this.#pagesMax = this.#lengthNow() + limits.storeWalPagesMax;
      this.#cancelRest = this.#options.clock.after(limits.storeCheckpointThreadIdleMs, () => this.#endThread());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    this.#endThread();
    await this.#ending;
  }

  release(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  /** What was committed stays so, whether the WAL's length can be read or not. */
  #lengthNow(): number {
    try {
      return Number(this.#length.get()?.["log"]);
    } catch {
      return this.#pages;
    }
  }

  /** Never rejects. */
  async #copy(): Promise<void> {
    const { walSync, startThread = startCheckpointThread } = this.#options;
    try {
      // Both before anything is copied: a file that is opened later reports no failure that was reported before
      this.#file ??= openSync(this.#path, "r+");
      this.#thread ??= startThread(this.#path);
      await this.#thread.open();
      if (walSync.failure() !== undefined) return;
      if (!await this.#thread.copy() || !await this.#isSynced(this.#file) || this.#closed) return;
      const rest = this.#thread.copy();
      this.#pauseFor(rest);
      await rest;
    } catch (cause) {
      if (isSyncFault(cause)) this.#diskFailed(cause);
      else this.#copyHere(cause);
      this.#endThread();
    }
  }

  /** SQLite syncs the file at the end of a copy that got all there is, which is then no more than what came meanwhile. */
  async #isSynced(file: number): Promise<boolean> {
    try {
      await this.#options.sync(file);
    } catch (cause) {
      this.#diskFailed(cause);
    }
    return this.#options.walSync.failure() === undefined;
  }

  /** What the thread could not, where requests are answered. */
  #copyHere(cause: unknown): void {
    this.#options.logger.error("store_checkpoint_failed", cause, { pages: this.#pages });
    try {
      this.#handle.prepare("PRAGMA wal_checkpoint(PASSIVE)").get();
    } catch (again) {
      if (isSyncFault(again)) this.#diskFailed(again);
    }
  }

  /**
   * Pages of a first copy may be lost, and SQLite would not copy them again while anybody has the file open: nothing more is written, and a read
   * that does not end keeps the WAL, with all of them, from being begun anew by others. A start after all have ended reads it from its beginning.
   */
  #diskFailed(cause: unknown): void {
    this.#options.walSync.diskFailed(cause);
    try {
      this.#handle.exec("BEGIN; SELECT count(*) FROM sqlite_schema");
    } catch (error) {
      this.#options.logger.error("store_checkpoint_failed", error, { pages: this.#pages });
    }
  }

  /** A disk that takes its time keeps writes back no longer than `storeCheckpointPauseMsMax`; the WAL then begins anew another time. */
  #pauseFor(rest: Promise<boolean>): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => {
      this.pause = undefined;
      resolve();
    };
    const cancel = this.#options.clock.after(limits.storeCheckpointPauseMsMax, end);
    this.pause = promise;
    void rest.finally(cancel).then(end, end);
  }

  #endThread(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#cancelRest?.();
    if (thread === undefined) return;
    const { logger } = this.#options;
    this.#ending = this.#ending.then(() => thread.end()).catch((cause) =>
      logger.error("store_checkpoint_failed", cause, { pages: this.#pages })
    );
  }
}
