/** Who waits for a turn: first come, first served, but every other turn goes to the first who is urgent by then. So nobody who is not waits for ever. */

interface Waiting {
  readonly go: () => void;
  /** Asked at each turn. */
  readonly isUrgent: (() => boolean) | undefined;
}

export class WaitingLine {
  readonly #waiting: Waiting[] = [];
  /** Of those who wait, who may be urgent: without them nobody is looked for in a long line. */
  #askable = 0;
  #wasUrgent = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves at its turn. */
  wait(isUrgent?: () => boolean): Promise<void> {
    if (isUrgent !== undefined) this.#askable += 1;
    return new Promise((go) => void this.#waiting.push({ go, isUrgent }));
  }

  /** Before all who wait. */
  waitFirst(): Promise<void> {
    this.#askable += 1;
    return new Promise((go) => void this.#waiting.unshift({ go, isUrgent: () => true }));
  }

  /** Gives somebody the turn; false where nobody waits. */
  next(): boolean {
    const isAsked = this.#askable > 0 && !this.#wasUrgent;
    const urgent = isAsked ? this.#waiting.findIndex(({ isUrgent }) => isUrgent?.() === true) : -1;
    this.#wasUrgent = urgent > 0;
    const next = urgent > 0 ? this.#waiting.splice(urgent, 1)[0] : this.#waiting.shift();
    if (next?.isUrgent !== undefined) this.#askable -= 1;
    next?.go();
    return next !== undefined;
  }
}
