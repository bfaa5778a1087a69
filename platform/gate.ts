/** How much is done at the same time: work beyond that waits its turn (waiting-line.ts). */
import { WaitingLine } from "./waiting-line.ts";

export interface Gate {
  /** `isUrgent`: asked as long as the work waits. */
  run<T>(work: () => Promise<T>, isUrgent?: () => boolean): Promise<T>;
}

export function createGate(atOnceMax: number): Gate {
  const waiting = new WaitingLine();
  let underWay = 0;

  async function enter(isUrgent?: () => boolean): Promise<void> {
    if (underWay < atOnceMax) {
      underWay += 1;
      return;
    }
    // Work that ends hands its place on
    await waiting.wait(isUrgent);
  }

  function leave(): void {
    if (!waiting.next()) underWay -= 1;
  }

  return {
    async run(work, isUrgent) {
      await enter(isUrgent);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
