/** A limiter that observes how long its answers take. */
import type { Limiter } from "../limiter/limiter.ts";
import { type Metrics, noMetrics, timed } from "./metrics.ts";

/** The same limiter where metrics are off. */
export function measuredLimiter(limiter: Limiter, metrics: Metrics): Limiter {
  if (metrics === noMetrics) return limiter;
  function done(seconds: number): void {
    metrics.observe("limiterDuration", noLabels, seconds);
  }
  function measured<T>(ask: () => Promise<T> | T): Promise<T> | T {
    const began = performance.now();
    const answer = ask();
    if (answer instanceof Promise) return timed(() => answer, done);
    done((performance.now() - began) / 1_000);
    return answer;
  }
  return {
    take: (key, bucket, cost) => measured(() => limiter.take(key, bucket, cost)),
    draw: (draw) => measured(() => limiter.draw(draw)),
    close: () => limiter.close(),
  };
}

const noLabels = {};
