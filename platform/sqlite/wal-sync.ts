/** Makes commits durable that did not wait for the disk, off the calling thread. */
import { closeSync, existsSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";

export interface WalSync {
  /** Whether the file can be synced here; where it cannot yet, each commit has to wait for the disk itself. */
  isOpen(): boolean;
  /** A commit that was not synced: durable after about `storeSyncMsMax`. */
  committed(): void;
  /** Another process may have committed what is not synced: from now on it counts as committed here. */
  othersCommitted(): void;
  /** SQLite could not sync the file, and with its own commit those before it that were not synced may be lost. */
  failed(cause: unknown): void;
  /** What SQLite took for written to the database may be lost. */
  diskFailed(cause: unknown): void;
  /** Resolves when all that is committed now is durable. Refuses STORE_UNAVAILABLE where the disk failed. */
  durable(): Promise<void>;
  /** Set for good when the disk failed: what of the file is on it is unknown, so nothing may be built on it. */
  failure(): Refusal | undefined;
  /** Before the database is closed, which syncs by itself. */
  close(): Promise<void>;
}

export interface WalSyncDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  /** Resolves when all that was written to the open file is on the disk; an argument so that a test can make it fail. */
  readonly sync: (file: number) => Promise<void>;
}

/** fdatasync(2), off the thread that calls. */
export const syncFile: WalSyncDeps["sync"] = promisify(fdatasync);

/**
 * `path` is that of the WAL; undefined for a database in memory. SQLite's locks are on the other two files, so that
 * opening and closing this one takes none of them away.
 */
export function createWalSync(path: string | undefined, deps: WalSyncDeps): WalSync {
  return path === undefined ? inMemory : new FileSync(path, deps);
}

const inMemory: WalSync = {
  isOpen: () => true,
  committed() {},
  othersCommitted() {},
  failed() {},
  diskFailed() {},
  durable: () => Promise.resolve(),
  failure: () => undefined,
  close: () => Promise.resolve(),
};

class FileSync implements WalSync {
  readonly #path: string;
  readonly #deps: WalSyncDeps;
  #file: number | undefined;
  /** Commits so far that did not wait for the disk, and how many of them are durable. */
  #committed = 0;
  #durable = 0;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #failure: Refusal | undefined;
  #closed = false;

  constructor(path: string, deps: WalSyncDeps) {
    this.#path = path;
    this.#deps = deps;
  }

  /** Open before the first commit that relies on it: the kernel reports a failure only to those that have the file open. */
  isOpen(): boolean {
    if (this.#file !== undefined || this.#closed) return this.#file !== undefined;
    try {
      this.#file = openSync(this.#path, "r+");
    } catch {
      // Not there before the first commit of all, or too many files are open: asked again before the next commit
    }
    return this.#file !== undefined;
  }

  committed(): void {
    this.#committed += 1;
    this.#later();
  }

  othersCommitted(): void {
    if (!this.isOpen() && !existsSync(this.#path)) return; // What was in it is in the database itself, and synced
    this.committed();
  }

  failed(cause: unknown): void {
    if (this.#durable < this.#committed) this.#fail(cause);
  }

  diskFailed(cause: unknown): void {
    this.#fail(cause);
  }

  async durable(): Promise<void> {
    const wanted = this.#committed;
    // One that is under way may have begun before the last commit
    while (this.#durable < wanted) {
      if (this.#failure !== undefined) throw this.#failure;
      await this.#sync();
    }
  }

  failure(): Refusal | undefined {
    return this.#failure;
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#cancel?.();
    await this.#running;
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
    // SQLite syncs what is left when it closes
    if (this.#failure === undefined) this.#durable = this.#committed;
  }

  #later(): void {
    if (this.#running !== undefined || this.#closed || this.#failure !== undefined) return;
    this.#cancel ??= this.#deps.clock.after(limits.storeSyncMsMax, () => void this.#sync());
  }

  /** One at a time; a caller that comes while one is under way waits for that. Never rejects. */
  #sync(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#running ??= this.#syncOnce().finally(() => {
      this.#running = undefined;
      if (this.#durable < this.#committed) this.#later();
    });
    return this.#running;
  }

  async #syncOnce(): Promise<void> {
    const through = this.#committed;
    try {
      if (this.#file === undefined) throw new Error("The file is closed");
      await this.#deps.sync(this.#file);
      this.#durable = through;
    } catch (cause) {
      this.#fail(cause);
    }
  }

  /** The kernel reports a failure once and then takes the pages for written: a second sync would wrongly succeed. */
  #fail(cause: unknown): void {
    this.#failure ??= new Refusal("STORE_UNAVAILABLE", "The disk failed: restart once it is well", { cause });
    this.#deps.logger.error("store_sync_failed", cause);
  }
}
