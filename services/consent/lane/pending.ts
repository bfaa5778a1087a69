/**
 * Records that were read from a lane and are not applied yet. Records of one user keep their order; no user waits for a
 * record of others, so that a fan-out delays no other user.
 */
import type { Wanted } from "../../../platform/lane/applied-queries.ts";
import { isAfter, type RecordId } from "../../../platform/age.ts";

/** What has to be known of a record to find its turn. */
interface Waits {
  /** Its place; each that is added lies behind those before it. */
  readonly mark: RecordId;
  /** Users or addresses that it changes. None: it waits for no record, and no record for it. */
  readonly keys: readonly string[];
  /** Part of a fan-out: it goes when it is due, or sooner where a caller or another record needs it. */
  readonly isOfMany: boolean;
  /** What is behind it needs it, and it needs nothing: it goes before all others. */
  readonly goesFirst?: boolean;
}

interface Entry<Item> extends Waits {
  readonly item: Item;
  /** Rises with the place. */
  readonly at: number;
}

export class Pending<Item> {
  /** How many users or addresses are spoken of, each as often as it is. */
  size = 0;
  #added = 0;
  readonly #entries = new Map<Item, Entry<Item>>();
  /** By key, in order. */
  readonly #queues = new Map<string, Entry<Item>[]>();
  readonly #few = new Set<Entry<Item>>();
  readonly #first = new Set<Entry<Item>>();
  readonly #many = new Set<Entry<Item>>();

  get few(): number {
    return this.#few.size;
  }

  get many(): number {
    return this.#many.size;
  }

  add(item: Item, { mark, keys, isOfMany, goesFirst = false }: Waits): void {
    const entry = { item, mark, keys: [...new Set(keys)], isOfMany, at: this.#added };
    if (goesFirst) this.#first.add(entry);
    this.#added += 1;
    this.#entries.set(item, entry);
    (isOfMany ? this.#many : this.#few).add(entry);
    this.size += sizeOf(entry);
    for (const key of entry.keys) {
      const queue = this.#queues.get(key);
      if (queue === undefined) this.#queues.set(key, [entry]);
      else queue.push(entry);
    }
  }

  /**
   * What can go next, in order, of `max` keys at most or one record: what the keys that a caller waits for need, and what
   * concerns few; `first` has the first choice. Each comes with all that has to go before it.
   */
  next(max: number, wanted: Wanted, first: "wanted" | "few"): Item[] {
    const chosen = new Chosen<Item>(max, this.#queues);
    chosen.addAll(this.#first);
    if (first === "few") chosen.addAll(this.#few);
    chosen.addAll(this.#wantedOf(wanted));
    chosen.addAll(this.#few);
    return chosen.items();
  }

  /** The first of what concerns very many, of `max` keys at most or one record, with all that has to go before it. */
  nextOfMany(max: number): Item[] {
    const chosen = new Chosen<Item>(max, this.#queues);
    chosen.addAll(this.#first);
    chosen.addAll(this.#many);
    return chosen.items();
  }

  /** They are applied. What is not there is passed over. */
  remove(items: readonly Item[]): void {
    for (const item of items) {
      const entry = this.#entries.get(item);
      if (entry === undefined) continue;
      this.#entries.delete(item);
      this.#few.delete(entry);
      this.#first.delete(entry);
      this.#many.delete(entry);
      this.size -= sizeOf(entry);
      for (const key of entry.keys) this.#leave(key, entry);
    }
  }

  /** Whether everything of the key up to the place is applied, of what was added. */
  isPast(key: string, mark: RecordId): boolean {
    const first = this.#queues.get(key)?.[0];
    return first === undefined || isAfter(first.mark, mark);
  }

  /** Very many wanted keys may be applied long ago, and very many queued keys may not be wanted. */
  *#wantedOf(wanted: Wanted): Iterable<Entry<Item>> {
    const isShort = wanted.size < this.#queues.size;
    for (const key of isShort ? wanted.keys() : this.#queues.keys()) if (isShort || wanted.has(key)) yield* this.#queues.get(key) ?? [];
  }

  #leave(key: string, entry: Entry<Item>): void {
    const queue = this.#queues.get(key) ?? [];
    if (queue.length === 1) this.#queues.delete(key);
    else queue.splice(queue.indexOf(entry), 1);
  }
}

/** Entries with all that has to go before them: any of them, in the order in which they were chosen, need no others. */
class Chosen<Item> {
  readonly #max: number;
  readonly #queues: ReadonlyMap<string, readonly Entry<Item>[]>;
  readonly #entries = new Set<Entry<Item>>();
  /** By key, how many of its queue are chosen: always the first ones. */
  readonly #firsts = new Map<string, number>();
  #size = 0;

  constructor(max: number, queues: ReadonlyMap<string, readonly Entry<Item>[]>) {
    this.#max = max;
    this.#queues = queues;
  }

  /** As long as there is room. */
  addAll(entries: Iterable<Entry<Item>>): void {
    for (const entry of entries) if (!this.#add(entry)) return;
  }

  /** False where there is no more room; then some of what has to go before it may be in already. */
  #add(entry: Entry<Item>): boolean {
    // Not by recursion: what waits for what may be a long chain
    const stack = [entry];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      if (this.#entries.has(top)) {
        stack.pop();
        continue;
      }
      const before = this.#firstBefore(top);
      if (before !== undefined) {
        stack.push(before);
        continue;
      }
      stack.pop();
      if (this.#size > 0 && this.#size + sizeOf(top) > this.#max) return false;
      this.#entries.add(top);
      for (const key of top.keys) this.#firsts.set(key, this.#chosenOf(key) + 1);
      this.#size += sizeOf(top);
    }
    return this.#size < this.#max;
  }

  /** In the order of their places. */
  items(): Item[] {
    return [...this.#entries].sort((a, b) => a.at - b.at).map(({ item }) => item);
  }

  #firstBefore(entry: Entry<Item>): Entry<Item> | undefined {
    for (const key of entry.keys) {
      const first = this.#queues.get(key)?.[this.#chosenOf(key)];
      if (first !== entry) return first;
    }
    return undefined;
  }

  #chosenOf(key: string): number {
    return this.#firsts.get(key) ?? 0;
  }
}

function sizeOf({ keys }: Waits): number {
  return Math.max(1, keys.length);
}
