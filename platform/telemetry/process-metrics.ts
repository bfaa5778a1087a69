/** What a process says of itself: CPU, memory, its start, and how late its timers run. */
import process from "node:process";
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { repeatedly } from "../repeatedly.ts";
import type { Metrics } from "./metrics.ts";

/** The returned function ends it. */
export function watchProcess(metrics: Metrics, clock: Clock): () => void {
  const startedAt = clock.now() / 1_000 - process.uptime();
  const loop = watchLoop(clock);
  const ends = [
    metrics.gauge("cpu", () => {
      const { user, system } = process.cpuUsage();
      return [{ value: (user + system) / 1e6 }];
    }),
    metrics.gauge("memory", () => [{ value: process.memoryUsage.rss() }]),
    metrics.gauge("startTime", () => [{ value: startedAt }]),
    metrics.gauge("loopLag", () => [{ value: loop.take() / 1_000 }]),
  ];
  return () => {
    loop.close();
    for (const end of ends) end();
  };
}

/** The longest delay of a timer, in milliseconds, since it was last taken. */
function watchLoop(clock: Clock): { take(): number; close(): void } {
  let worst = 0;
  let due = clock.monotonic() + limits.loopLookMs;
  const close = repeatedly(clock, limits.loopLookMs, () => {
    const now = clock.monotonic();
    worst = Math.max(worst, now - due);
    due = now + limits.loopLookMs;
  });
  return {
    take() {
      const taken = Math.max(worst, clock.monotonic() - due);
      worst = 0;
      return Math.max(0, taken);
    },
    close,
  };
}
