/** A clock that tests move by hand. */
import type { Clock } from "./clock.ts";

/** A clock that stands still until `advance` moves it; due callbacks run in order of their time. */
export function fakeClock(start = Date.UTC(2026, 0, 1)): Clock & { advance(ms: number): void } {
  let elapsed = 0;
  const waiting = new Set<{ at: number; callback: () => void }>();
  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const entry = { at: elapsed + ms, callback };
      waiting.add(entry);
      return () => waiting.delete(entry);
    },
    advance(ms) {
      const end = elapsed + ms;
      for (;;) {
        const due = [...waiting].filter((entry) => entry.at <= end).sort((a, b) => a.at - b.at)[0];
        if (!due) break;
        waiting.delete(due);
        elapsed = Math.max(elapsed, due.at);
        due.callback();
      }
      elapsed = end;
    },
  };
}
