/** How much of what comes is shown: all while there is little, else an even share of it. Pure. */

/** Since it was asked last. */
export interface Rate {
  readonly seen: number;
  readonly shown: number;
}

/** At most `perSecond` are taken of each second; which share, the second before says. */
export class Sampler {
  readonly #perSecond: number;
  #second = 0;
  #seenNow = 0;
  #takenNow = 0;
  /** One of so many is taken. */
  #every = 1;
  #seen = 0;
  #shown = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Whether this one is shown; `now` is on a monotonic clock, in milliseconds. */
  take(now: number): boolean {
    const second = Math.floor(now / 1_000);
    if (second !== this.#second) this.#turn(second);
    this.#seenNow += 1;
    this.#seen += 1;
    if ((this.#seenNow - 1) % this.#every !== 0 || this.#takenNow >= this.#perSecond) return false;
    this.#takenNow += 1;
    this.#shown += 1;
    return true;
  }

  /** Counts anew from here. */
  drain(): Rate {
    const rate = { seen: this.#seen, shown: this.#shown };
    this.#seen = 0;
    this.#shown = 0;
    return rate;
  }

  #turn(second: number): void {
    const before = second === this.#second + 1 ? this.#seenNow : 0;
    this.#every = Math.max(1, Math.ceil(before / this.#perSecond));
    this.#second = second;
    this.#seenNow = 0;
    this.#takenNow = 0;
  }
}
