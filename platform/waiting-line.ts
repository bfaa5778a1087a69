/** Who waits for a turn: first come, first served, but every other turn goes to the first who is urgent by then. So nobody who is not waits for ever. */

interface Waiting {
  readonly go: () => void;
  /** Asked at each turn. */
  readonly isUrgent: (() => boolean) | undefined;
}

export class WaitingLine {
  readonly #waiting: Waiting[] = [];
  #wasUrgent = false;

  get isEmpty(): boolean {
    return this.#waiting.length === 0;
  }

  /** Resolves at its turn. */
  wait(isUrgent?: () => boolean): Promise<void> {
    return new Promise((go) => void this.#waiting.push({ go, isUrgent }));
  }

  /** Before all who wait. */
  waitFirst(): Promise<void> {
    return new Promise((go) => void this.#waiting.unshift({ go, isUrgent: () => true }));
  }

  /** Gives somebody the turn; false where nobody waits. */
  next(): boolean {
    const urgent = this.#wasUrgent ? -1 : this.#waiting.findIndex(({ isUrgent }) => isUrgent?.() === true);
    this.#wasUrgent = urgent > 0;
    const [first] = this.#waiting.splice(Math.max(0, urgent), 1);
    first?.go();
    return first !== undefined;
  }
}
