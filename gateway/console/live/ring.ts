/** What was shown lately, for views that come back: bounded by number and bytes, the oldest go. Pure. */

/** Under which id a view saw it, as `<life of the ring>.<number>`. */
export interface RingEntry<T> {
  readonly id: string;
  readonly value: T;
}

export interface RingBounds {
  readonly entriesMax: number;
  readonly bytesMax: number;
}

export class Ring<T> {
  readonly #life: string;
  readonly #bounds: RingBounds;
  readonly #entries: { readonly number: number; readonly value: T; readonly bytes: number }[] = [];
  #bytes = 0;
  #last = 0;

  constructor(life: string, bounds: RingBounds) {
    this.#life = life;
    this.#bounds = bounds;
  }

  /** Of all that it holds. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The id of what was added. */
  add(value: T, bytes: number): string {
    this.#last += 1;
    this.#entries.push({ number: this.#last, value, bytes });
    this.#bytes += bytes;
    while (this.#bytes > this.#bounds.bytesMax || this.#entries.length > this.#bounds.entriesMax) {
      this.#bytes -= this.#entries.shift()?.bytes ?? 0;
    }
    return this.#idOf(this.#last);
  }

  /** What came after that id, the oldest first: all there is where none is given, or one that is not ours. `missed`: there was more. */
  after(id: string | undefined): { readonly entries: readonly RingEntry<T>[]; readonly missed: boolean } {
    const number = id === undefined ? undefined : this.#numberOf(id);
    const entries = this.#entries.filter((one) => one.number > (number ?? 0)).map(({ number: at, value }) => ({
      id: this.#idOf(at),
      value,
    }));
    const missed = id !== undefined && (number === undefined || number < (this.#entries[0]?.number ?? this.#last + 1) - 1);
    return { entries, missed };
  }

  #idOf(number: number): string {
    return `${this.#life}.${number}`;
  }

  /** Undefined for an id of another life. */
  #numberOf(id: string): number | undefined {
    const [life, text = ""] = id.split(".");
    return life === this.#life && /^\d{1,15}$/.test(text) ? Math.min(Number(text), this.#last) : undefined;
  }
}
