/** A limiter that observes how long its answers take. */
import type { Limiter } from "../limiter/limiter.ts";
import { type Metrics, noMetrics, timed } from "./metrics.ts";

/** The same limiter where metrics are off. */
export function measuredLimiter(limiter: Limiter, metrics: Metrics): Limiter {
  if (metrics === noMetrics) return limiter;
  function done(seconds: number): void {
    metrics.observe("limiterDuration", noLabels, seconds);
  }
  return {
    draw(draw) {
      const began = performance.now();
      const answer = limiter.draw(draw);
      if (answer instanceof Promise) return timed(() => answer, done);
      done((performance.now() - began) / 1_000);
      return answer;
    },
    close: () => limiter.close(),
  };
}

const noLabels = {};
