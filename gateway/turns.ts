/** Work of which only so much goes on at a time: the rest waits for its turn, first come, first served. */

export interface Turns {
  /** Begins the work when it is its turn. Rejects as the work does. */
  take<T>(work: () => Promise<T>): Promise<T>;
}

export function createTurns(atOnceMax: number): Turns {
  const waiting: (() => void)[] = [];
  let going = 0;
  return {
    async take(work) {
      if (going >= atOnceMax) await new Promise<void>((begin) => waiting.push(begin));
      else going += 1;
      try {
        return await work();
      } finally {
        // The next one takes the place over
        const next = waiting.shift();
        if (next === undefined) going -= 1;
        else next();
      }
    },
  };
}
