/** Any port of promises with its calls observed: how long each takes, and how often it fails. */
import { type Metrics, noMetrics, timed } from "./metrics.ts";

type Method = (...args: never[]) => Promise<unknown>;

/** The same port where metrics are off. `operations`: which of its methods, each the label of its own name. */
export function measuredStore<Port extends object>(
  port: Port,
  { store, operations }: { readonly store: string; readonly operations: readonly (keyof Port & string)[] },
  metrics: Metrics,
): Port {
  if (metrics === noMetrics) return port;
  const measured: Record<string, Method> = {};
  for (const operation of operations) {
    const labels = { store, operation };
    const method = port[operation] as Method;
    // From 0 on, so that the first one is seen as an increase
    metrics.count("storeFailures", labels, 0);
    measured[operation] = (...args) =>
      timed(() => method.apply(port, args), (seconds, error) => {
        metrics.observe("storeDuration", labels, seconds);
        if (error !== undefined) metrics.count("storeFailures", labels);
      });
  }
  return { ...port, ...measured };
}
