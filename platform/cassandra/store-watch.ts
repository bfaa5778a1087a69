/** Whether a store answers, asked again and again: a process whose readers rest would not notice that it is gone. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { repeatedly } from "../repeatedly.ts";

export interface StoreWatch {
  /** As of the last answer. */
  readonly there: boolean;
  close(): void;
}

/** `ask` rejects where the store does not answer; it must not hang for ever. */
export function watchStore(clock: Clock, ask: () => Promise<unknown>): StoreWatch {
  let there = true;
  const close = repeatedly(clock, limits.cassandraLookMs, async () => {
    there = await ask().then(() => true, () => false);
    return there ? limits.cassandraLookMs : limits.cassandraReconnectMs;
  });
  return {
    get there() {
      return there;
    },
    close,
  };
}
