/** When the thread is idle: what can wait goes on then, and takes turns with all else otherwise. */
import { setImmediate } from "node:timers";
import type { Clock } from "./clock.ts";
import { limits } from "./limits.ts";

/** Calls back once the event loop turns with nothing to do, in `afterMs` at the earliest. Returns how to stop that. */
export function whenQuiet(clock: Clock, afterMs: number, onQuiet: () => void): () => void {
  let stopped = false;
  let turns = 0;
  let began = 0;
  function look(): void {
    if (stopped) return;
    const now = clock.monotonic();
    turns = now - began <= limits.quietTurnMsMax ? turns + 1 : 0;
    began = now;
    if (turns >= limits.quietTurnsMin) onQuiet();
    else setImmediate(look);
  }
  const cancel = clock.after(afterMs, look);
  return () => {
    stopped = true;
    cancel();
  };
}
