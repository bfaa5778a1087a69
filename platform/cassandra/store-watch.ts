/** Whether a store answers, asked again and again: a process whose readers rest would not notice that it is gone. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

export interface StoreWatch {
  /** As of the last answer. */
  readonly there: boolean;
  close(): void;
}

/** `ask` rejects where the store does not answer; it must not hang for ever. */
export function watchStore(clock: Clock, ask: () => Promise<unknown>): StoreWatch {
  let there = true;
  let closed = false;
  let cancel = later();

  function later(): () => void {
    return clock.after(there ? limits.cassandraLookMs : limits.cassandraReconnectMs, () => void look());
  }
  async function look(): Promise<void> {
    there = await ask().then(() => true, () => false);
    cancel = closed ? () => {} : later();
  }
  return {
    get there() {
      return there;
    },
    close() {
      closed = true;
      cancel();
    },
  };
}
