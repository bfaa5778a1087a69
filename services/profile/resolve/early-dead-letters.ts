/**
 * A dead letter is written before the step that passes its record over, so that no record is passed over without one. Where that step does not go out
 * the record is resolved again, and may be in force then: its letter has to go, or a redrive would do it twice.
 */
import type { DeadLetterRecord, IdentityWriter } from "../domain/ports.ts";

export class EarlyDeadLetters {
  /** Places of records whose letters were written, or half written, and whose step is not known to be in force. */
  readonly #early = new Set<number>();
  /** Places of those that are in force without a letter. */
  readonly #needless = new Set<number>();

  /** They are about to be written. */
  add(letters: readonly DeadLetterRecord[]): void {
    for (const { sequence } of letters) this.#early.add(sequence);
  }

  /** A step of ours is in force up to `through`, and passes over the records of `letters` alone. */
  inForce(through: number, letters: readonly DeadLetterRecord[]): void {
    if (this.#early.size === 0) return;
    for (const { sequence } of letters) this.#early.delete(sequence);
    for (const sequence of this.#upTo(through)) this.#needless.add(sequence);
  }

  /** What is in force up to `through` may be a step of another resolver, which may have passed over the same records. */
  takenOver(through: number): void {
    this.#upTo(through);
  }

  /** Throws as the store does; the next call goes on. */
  async forgetNeedless({ identities, partition }: LettersOf): Promise<void> {
    for (const sequence of this.#needless) {
      await identities.forgetSetAside({ partition, sequence });
      this.#needless.delete(sequence);
    }
  }

  #upTo(through: number): number[] {
    const found = [...this.#early].filter((sequence) => sequence <= through);
    for (const sequence of found) this.#early.delete(sequence);
    return found;
  }
}

interface LettersOf {
  readonly identities: Pick<IdentityWriter, "forgetSetAside">;
  readonly partition: number;
}
