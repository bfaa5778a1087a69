/** What the resolver decided about single requests, kept until the caller that appended them has asked. */

export interface Outcomes<T> {
  put(sequence: number, outcome: T): void;
  /** Gives the outcome once; undefined where there is none or it was kept too long ago. */
  take(sequence: number): T | undefined;
}

/** Keeps the newest `max` outcomes: an asker comes within milliseconds or not at all. */
export function createOutcomes<T>(max: number): Outcomes<T> {
  const kept = new Map<number, T>();
  return {
    put(sequence, outcome) {
      kept.set(sequence, outcome);
      if (kept.size <= max) return;
      const oldest = kept.keys().next();
      if (!oldest.done) kept.delete(oldest.value);
    },
    take(sequence) {
      const outcome = kept.get(sequence);
      kept.delete(sequence);
      return outcome;
    },
  };
}
