/** What may be lost and no caller waits for: collected for a moment and written together, one write at a time, bounded. */
import { Buffer } from "node:buffer";
import type { Clock } from "./clock.ts";

export interface BestEffortBatchOptions<Item> {
  readonly clock: Clock;
  /** How long an item waits for others, if no write is under way. */
  readonly collectMs: number;
  readonly itemsPerWriteMax: number;
  /** Of all that wait or are being written. With `bytesMax` an item is JSON data and counts with the bytes of its text. */
  readonly itemsMax: number;
  readonly bytesMax?: number;
  /** Ends by itself within a deadline of its own. */
  write(items: readonly Item[]): Promise<unknown>;
  lost(loss: Loss): void;
}

/** Reported once for all items that found no room during a write, not once an item. */
export interface Loss {
  readonly items: number;
  readonly reason: "full" | "failed";
  readonly error: unknown;
}

interface Entry<Item> {
  readonly item: Item;
  readonly bytes: number;
}

export class BestEffortBatch<Item> {
  readonly #options: BestEffortBatchOptions<Item>;
  readonly #waiting: Entry<Item>[] = [];
  #items = 0;
  #bytes = 0;
  #turnedAway = 0;
  #cancel: (() => void) | undefined;
  #isWriting = false;
  #written: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: BestEffortBatchOptions<Item>) {
    this.#options = options;
  }

  /** Never waits and never fails. */
  add(item: Item): void {
    const { clock, collectMs, itemsPerWriteMax, itemsMax, bytesMax = Infinity } = this.#options;
    const bytes = bytesMax === Infinity ? 0 : Buffer.byteLength(JSON.stringify(item));
    if (this.#closed || this.#items >= itemsMax || this.#bytes + bytes > bytesMax) {
      this.#turnedAway += 1;
    } else {
      this.#waiting.push({ item, bytes });
      this.#items += 1;
      this.#bytes += bytes;
    }
    if (this.#isWriting) return;
    if (this.#closed || this.#waiting.length >= itemsPerWriteMax) this.#flush();
    else this.#cancel ??= clock.after(collectMs, () => this.#flush());
  }

  /** Writes what waits. What comes later is lost, and so is the rest once a write fails: an end is not held up by what is away. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#flush();
    await this.#written;
  }

  #flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (!this.#isWriting) this.#written = this.#writeAll();
  }

  async #writeAll(): Promise<void> {
    const { itemsPerWriteMax, write, lost } = this.#options;
    this.#isWriting = true;
    this.#tellTurnedAway();
    while (this.#waiting.length > 0) {
      const some = this.#waiting.splice(0, itemsPerWriteMax);
      try {
        await write(some.map(({ item }) => item));
      } catch (error) {
        if (this.#closed) some.push(...this.#waiting.splice(0));
        lost({ items: some.length, reason: "failed", error });
      }
      this.#items -= some.length;
      for (const { bytes } of some) this.#bytes -= bytes;
      this.#tellTurnedAway();
    }
    this.#isWriting = false;
  }

  #tellTurnedAway(): void {
    const items = this.#turnedAway;
    if (items === 0) return;
    this.#turnedAway = 0;
    this.#options.lost({ items, reason: "full", error: new Error("There was no room to wait, or an end") });
  }
}
