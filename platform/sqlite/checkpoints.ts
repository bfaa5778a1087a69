/** When the WAL is copied into the database, so that it begins anew instead of growing. */
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { type CheckpointThread, type Copied, startCheckpointThread } from "./checkpoint-thread.ts";

export interface Checkpoints {
  /** After a commit. */
  committed(): void;
  /** Set while what was written during a copy is copied: the next transaction waits for it, so that the WAL begins anew with that. */
  readonly pause: Promise<void> | undefined;
  /** Resolves when nothing is being copied, and nothing will be. */
  close(): Promise<void>;
}

export interface CheckpointParts {
  readonly clock: Clock;
  readonly logger: Logger;
  /** An argument so that a test can make it fail. */
  readonly start?: (path: string) => CheckpointThread;
}

/**
 * Copies from `storeWalPagesMax` pages on: first beside the writes that go on, then, for a few milliseconds, what came
 * meanwhile. Where that does not work, SQLite copies by itself within a commit, from `storeWalPagesWorst` on.
 */
export function createCheckpoints(handle: DatabaseSync, path: string, parts: CheckpointParts): Checkpoints {
  return knowsLength(handle) ? new Apart(handle, path, parts) : withinCommits(handle);
}

/** Before 3.51 SQLite tells the length of the WAL to no statement but one that copies it. */
function knowsLength(handle: DatabaseSync): boolean {
  const [major = 0, minor = 0] = String(handle.prepare("SELECT sqlite_version() AS version").get()?.["version"]).split(".").map(Number);
  return major > 3 || (major === 3 && minor >= 51);
}

/** SQLite copies within the commits of this connection. */
export function withinCommits(handle: DatabaseSync): Checkpoints {
  handle.exec(`PRAGMA wal_autocheckpoint = ${limits.storeWalPagesWithinCommits}`);
  return { committed() {}, pause: undefined, close: () => Promise.resolve() };
}

class Apart implements Checkpoints {
  pause: Promise<void> | undefined;
  readonly #path: string;
  readonly #parts: CheckpointParts;
  readonly #length: StatementSync;
  #thread: CheckpointThread | undefined;
  #running: Promise<void> | undefined;
  /** Pages of the WAL after the last commit, and from how many on it is copied: more while a reader, or a fault, keeps it from beginning anew. */
  #pages = 0;
  #pagesMax: number = limits.storeWalPagesMax;
  #cancelRest: (() => void) | undefined;
  #closed = false;

  constructor(handle: DatabaseSync, path: string, parts: CheckpointParts) {
    this.#path = path;
    this.#parts = parts;
    handle.exec(`PRAGMA wal_autocheckpoint = ${limits.storeWalPagesWorst}`);
    this.#length = handle.prepare("PRAGMA wal_checkpoint(NOOP)");
  }

  committed(): void {
    const { log } = this.#length.get() as unknown as Copied;
    if (log < this.#pages) this.#pagesMax = limits.storeWalPagesMax;
    this.#pages = log;
    if (log < this.#pagesMax || this.#running !== undefined || this.#closed) return;
    this.#cancelRest?.();
    this.#running = this.#copy().finally(() => {
      this.#running = undefined;
      this.#cancelRest = this.#parts.clock.after(limits.storeCheckpointThreadIdleMs, () => void this.#endThread());
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#running;
    await this.#endThread();
  }

  /** Never rejects. */
  async #copy(): Promise<void> {
    try {
      this.#thread ??= (this.#parts.start ?? startCheckpointThread)(this.#path);
      await this.#thread.copy();
      const rest = this.#thread.copy();
      this.pause = this.#atMost(rest);
      await rest;
    } catch (cause) {
      this.#parts.logger.error("store_checkpoint_failed", cause, { pages: this.#pages });
      void this.#endThread();
    } finally {
      this.pause = undefined;
      this.#pagesMax = this.#pages + limits.storeWalPagesMax;
    }
  }

  /** A disk that takes its time keeps writes back no longer than this; the WAL then begins anew another time. */
  #atMost(rest: Promise<Copied>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#parts.clock.after(limits.storeCheckpointPauseMsMax, resolve);
    const over = rest.then(cancel, cancel);
    return Promise.race([promise, over]);
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    this.#cancelRest?.();
    await thread?.end();
  }
}
