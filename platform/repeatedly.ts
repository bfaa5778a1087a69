/** Work that is done again and again, each time so long after the last time ended. */
import type { Clock } from "./clock.ts";

/** `work` never fails; it may give how long it is until its next time, in place of `everyMs`. The returned function ends it. */
export function repeatedly(clock: Clock, everyMs: number, work: () => number | void | Promise<number | void>): () => void {
  let isEnded = false;
  let cancel = after(everyMs);
  function after(ms: number): () => void {
    return clock.after(ms, () => {
      const nextMs = work();
      if (nextMs instanceof Promise) void nextMs.then(goOn);
      else goOn(nextMs);
    });
  }
  function goOn(ms: number | void): void {
    if (!isEnded) cancel = after(ms ?? everyMs);
  }
  return () => {
    isEnded = true;
    cancel();
  };
}
