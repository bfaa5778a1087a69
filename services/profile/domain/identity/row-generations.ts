/** Identity rows of one kind in memory, in two generations, with what is not confirmed and what the record at hand writes. */

/** The form that rows have in memory. */
export interface Packing<Key> {
  pack(key: Key, row: unknown): unknown;
  unpack(key: Key, packed: unknown): unknown;
}

/**
 * As RowCache of identities.ts; null is a row known to be absent. A row read in the old generation moves to the young one, and the old one is dropped as a whole.
 * What is not confirmed and what is on the way to the store have maps of their own, so that no eviction can lose it.
 */
export class RowGenerations<Key> {
  readonly #packing: Packing<Key>;
  /** Made anew and never cleared: the place of what was cleared refers to the next, and where it is old, all of them become old. */
  #overlay = new Map<Key, unknown>();
  #young = new Map<Key, unknown>();
  #old = new Map<Key, unknown>();
  #unconfirmed = new Map<Key, unknown>();
  /** On the way to the store. */
  #sent: ReadonlyMap<Key, unknown> | undefined;

  constructor(packing: Packing<Key>) {
    this.#packing = packing;
  }

  load(key: Key, row: unknown): void {
    if (this.#changed(key) === undefined) this.#remember(key, row);
  }

  peek(key: Key): unknown {
    const written = this.#overlay.size > 0 ? this.#overlay.get(key) : undefined;
    if (written !== undefined) return written;
    const cached = this.#young.get(key);
    if (cached !== undefined) return this.#unpack(key, cached);
    const changed = this.#changed(key);
    if (changed !== undefined) {
      this.#remember(key, changed);
      return changed;
    }
    const known = this.#old.get(key);
    if (known !== undefined) this.#young.set(key, known);
    return this.#unpack(key, known);
  }

  stored(key: Key): unknown {
    if (this.#changed(key) !== undefined) return undefined;
    const recent = this.#young.get(key);
    return this.#unpack(key, recent === undefined ? this.#old.get(key) : recent);
  }

  put(key: Key, row: unknown): void {
    this.#overlay.set(key, row);
  }

  keep(): void {
    if (this.#overlay.size === 0) return;
    for (const [key, row] of this.#overlay) {
      this.#remember(key, row);
      this.#unconfirmed.set(key, row);
    }
    this.#overlay = new Map();
  }

  discard(): void {
    this.#overlay = new Map();
  }

  changes(): ReadonlyMap<Key, unknown> {
    return this.#unconfirmed;
  }

  send(): void {
    this.#sent = this.#unconfirmed;
    this.#unconfirmed = new Map();
  }

  arrived(): void {
    this.#sent = undefined;
  }

  drop(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#unconfirmed = new Map();
    this.#sent = undefined;
    this.#overlay = new Map();
  }

  get youngSize(): number {
    return this.#young.size;
  }

  get oldSize(): number {
    return this.#old.size;
  }

  /** The young rows are the old ones from now on. */
  age(): void {
    this.#old = this.#young;
    this.#young = new Map();
  }

  dropOld(): void {
    this.#old = new Map();
  }

  /** What the store does not have yet. */
  #changed(key: Key): unknown {
    const changed = this.#unconfirmed.get(key);
    return changed === undefined ? this.#sent?.get(key) : changed;
  }

  #remember(key: Key, row: unknown): void {
    this.#young.set(key, row === null ? null : this.#packing.pack(key, row));
  }

  /** undefined: not known. */
  #unpack(key: Key, packed: unknown): unknown {
    return packed === undefined || packed === null ? packed : this.#packing.unpack(key, packed);
  }
}
