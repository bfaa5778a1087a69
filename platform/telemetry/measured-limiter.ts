/** A limiter that observes how long its answers take. */
import type { Limiter } from "../limiter/limiter.ts";
import { type Metrics, noMetrics, timed } from "./metrics.ts";

/** The same limiter where nobody looks. */
export function measuredLimiter(limiter: Limiter, metrics: Metrics): Limiter {
  if (metrics === noMetrics) return limiter;
  function done(seconds: number): void {
    metrics.observe("limiterDuration", noLabels, seconds);
  }
  return {
    take(key, bucket, cost) {
      const began = performance.now();
      const taken = limiter.take(key, bucket, cost);
      if (taken instanceof Promise) return timed(() => taken, done);
      done((performance.now() - began) / 1_000);
      return taken;
    },
    close: () => limiter.close(),
  };
}

const noLabels = {};
