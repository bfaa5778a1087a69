/** How much is done at the same time: work beyond that waits its turn, first come, first served. */

export interface Gate {
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(atOnceMax: number): Gate {
  const waiting: (() => void)[] = [];
  let underWay = 0;

  async function enter(): Promise<void> {
    if (underWay < atOnceMax) {
      underWay += 1;
      return;
    }
    // Work that ends hands its place on
    await new Promise<void>((resolve) => waiting.push(resolve));
  }

  function leave(): void {
    const next = waiting.shift();
    if (next) next();
    else underWay -= 1;
  }

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
