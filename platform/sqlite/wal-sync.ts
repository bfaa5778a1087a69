/** Makes commits durable that did not wait for the disk, on a thread that nobody waits for. */
import { close, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";

export interface WalSync {
  /** A commit that nobody synced: durable after about `storeSyncMsMax`. */
  committed(): void;
  /** SQLite synced the file itself, with all that was committed before. */
  synced(): void;
  /** Resolves when all that is committed now is durable. Refuses STORE_UNAVAILABLE where the disk failed. */
  durable(): Promise<void>;
  /** Set for good when the disk failed: nobody knows what of the file is on it, so nothing may be built on it. */
  failure(): Refusal | undefined;
  /** Before the database is closed, which syncs by itself. */
  close(): Promise<void>;
}

/**
 * `path` is that of the WAL; undefined for a database in memory. SQLite's locks are on the other two files, so that
 * opening and closing this one takes none of them away.
 */
export function createWalSync(path: string | undefined, parts: { readonly clock: Clock; readonly logger: Logger }): WalSync {
  return path === undefined ? inMemory : new FileSync(path, parts);
}

const inMemory: WalSync = {
  committed() {},
  synced() {},
  durable: () => Promise.resolve(),
  failure: () => undefined,
  close: () => Promise.resolve(),
};

class FileSync implements WalSync {
  readonly #path: string;
  readonly #parts: { readonly clock: Clock; readonly logger: Logger };
  #file: number | undefined;
  /** Commits so far, and how many of them are durable. */
  #committed = 0;
  #durable = 0;
  #running: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #failure: Refusal | undefined;

  constructor(path: string, parts: { readonly clock: Clock; readonly logger: Logger }) {
    this.#path = path;
    this.#parts = parts;
  }

  committed(): void {
    this.#committed += 1;
    this.#later();
  }

  synced(): void {
    this.#durable = this.#committed;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async durable(): Promise<void> {
    const wanted = this.#committed;
    // One that is under way may have begun before the last commit
    while (this.#durable < wanted) {
      if (this.#failure !== undefined) throw this.#failure;
      await (this.#running ??= this.#sync());
    }
  }

  failure(): Refusal | undefined {
    return this.#failure;
  }

  async close(): Promise<void> {
    this.#cancel?.();
    this.#cancel = undefined;
    await this.#running;
    if (this.#file !== undefined) await promisify(close)(this.#file);
  }

  #later(): void {
    if (this.#running !== undefined) return;
    this.#cancel ??= this.#parts.clock.after(limits.storeSyncMsMax, () => {
      this.#cancel = undefined;
      this.#running ??= this.#sync();
    });
  }

  async #sync(): Promise<void> {
    const through = this.#committed;
    try {
      this.#file ??= openSync(this.#path, "r+");
      await promisify(fdatasync)(this.#file);
      this.#durable = Math.max(this.#durable, through);
    } catch (cause) {
      // The kernel tells a failure once and then takes the pages for written: asking again would get a lie
      this.#failure = new Refusal("STORE_UNAVAILABLE", "The disk failed: restart once it is well", { cause });
      this.#parts.logger.error("store_sync_failed", cause);
    } finally {
      this.#running = undefined;
    }
    if (this.#durable < this.#committed && this.#failure === undefined) this.#later();
  }
}
