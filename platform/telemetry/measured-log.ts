/** A log that observes how long its appends take, but for those that are to wait behind others, and why they are refused. */
import type { Log } from "../log/log.ts";
import { Refusal } from "../refusal.ts";
import { type Metrics, noMetrics, timed } from "./metrics.ts";

/** The same log where metrics are off. `name` is the label of the metrics. */
export function measuredLog(log: Log, name: string, metrics: Metrics): Log {
  if (metrics === noMetrics) return log;
  const labels = { log: name };
  for (const reason of refusals) metrics.count("logAppendFailures", { log: name, reason }, 0);
  return {
    partitions: log.partitions,
    ...(log.begins !== undefined && { begins: log.begins }),
    append: (partition, record, priority) =>
      timed(() => log.append(partition, record, priority), (seconds, error) => {
        if (error !== undefined) {
          metrics.count("logAppendFailures", { log: name, reason: error instanceof Refusal ? error.reason : "fault" });
        } else if (priority !== "low") metrics.observe("logAppendDuration", labels, seconds);
      }),
    tail: (partition) => log.tail(partition),
    read: (partition, after, options) => log.read(partition, after, options),
    watch: (listener) => log.watch(listener),
    trim: (partition, through) => log.trim(partition, through),
    close: () => log.close(),
  };
}

/** Of appends that no other request of the caller would mend: counted from 0 on, so that the first one is seen as an increase. */
const refusals = ["LOG_FULL", "LOG_UNAVAILABLE", "OUTCOME_UNKNOWN"] as const;
