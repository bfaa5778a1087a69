/** The intake log behind the Intake port: which partition a workspace's order lives in, and its records as bytes. */
import { refuseEarlier } from "../../../platform/epoch/epoch.ts";
import { checkedRecord } from "../../../platform/intake/record-size.ts";
import type { Log } from "../../../platform/log/log.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import { noTracer, traced, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { Intake } from "../domain/ports.ts";
import { encodeRecord } from "./record-message.ts";

export { partitionOf };

/** Each append is a span of its request's trace, and what happens to the record later is its child. */
export function createIntake(log: Log, tracer: Tracer = noTracer): Intake {
  return {
    async append(entry, priority) {
      const partition = partitionOf(entry.workspaceId, log.partitions);
      if (entry.traceparent === undefined) {
        return { partition, sequence: await log.append(partition, checkedRecord(encodeRecord(entry)), priority ?? "normal") };
      }
      const span = {
        name: "intake append",
        kind: "producer",
        traceparent: entry.traceparent,
        attributes: { "heddle.partition": partition },
      } as const;
      const sequence = await traced(tracer, span, (traceparent) => {
        const record = checkedRecord(encodeRecord({ ...entry, ...(traceparent !== undefined && { traceparent }) }));
        return log.append(partition, record, priority ?? "normal");
      });
      return { partition, sequence };
    },
    refuseEarlier: ({ sequence }) => refuseEarlier(sequence, log.begins ?? 1),
    async tail(workspaceId) {
      const partition = partitionOf(workspaceId, log.partitions);
      return { partition, sequence: await log.tail(partition) };
    },
  };
}
