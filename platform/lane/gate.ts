/** How much is done at the same time: work beyond that waits its turn, first come, first served. */

export interface Gate {
  run<T>(work: (rest: Rest) => Promise<T>): Promise<T>;
}

/** Work that has more to do waits until `over` resolves, and for its turn again: others have its place meanwhile. */
export type Rest = (over: Promise<unknown>) => Promise<void>;

export function createGate(atOnceMax: number): Gate {
  const waiting: (() => void)[] = [];
  let underWay = 0;

  async function enter(): Promise<void> {
    if (underWay < atOnceMax) {
      underWay += 1;
      return;
    }
    // Whoever leaves hands its place on
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  }

  async function rest(over: Promise<unknown>): Promise<void> {
    leave();
    try {
      await over;
    } finally {
      await enter();
    }
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work(rest);
      } finally {
        leave();
      }
    },
  };
}
