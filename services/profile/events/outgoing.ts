/** Events on their way out: in their order, those that wait together in one go, and none forgotten without a word. */
import type { Events, PublishedEvent } from "../../../platform/events/events.ts";

export interface Outgoing {
  /** How many wait. */
  readonly waiting: number;
  /** Resolves when these and all before them are kept; rejects once one could not be, as does everything after it until `reset`. */
  tell(events: readonly PublishedEvent[]): Promise<void>;
  /** As `tell` of nothing. */
  settled(): Promise<void>;
  /** Forgets what waits: the caller tells all of it again. */
  reset(): void;
}

export function createOutgoing(publish: Events["publish"]): Outgoing {
  let waiting: PublishedEvent[] = [];
  let last: Promise<void> = Promise.resolve();

  async function send(): Promise<void> {
    const all = waiting;
    waiting = [];
    if (all.length > 0) await publish(all);
  }

  return {
    get waiting() {
      return waiting.length;
    },
    tell(events) {
      waiting.push(...events);
      last = last.then(send);
      last.catch(() => {});
      return last;
    },
    settled: () => last,
    reset() {
      waiting = [];
      last = Promise.resolve();
    },
  };
}
