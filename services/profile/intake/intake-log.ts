/** The intake log behind the Intake port: which partition a workspace's order lives in, and its records as bytes. */
import type { Log } from "../../../platform/log/log.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import type { Intake } from "../domain/ports.ts";
import { encodeRecord } from "./record-message.ts";

export { partitionOf };

export function createIntake(log: Log): Intake {
  return {
    async append(entry, priority) {
      const partition = partitionOf(entry.workspaceId, log.partitions);
      return { partition, sequence: await log.append(partition, encodeRecord(entry), priority ?? "normal") };
    },
    async tail(workspaceId) {
      const partition = partitionOf(workspaceId, log.partitions);
      return { partition, sequence: await log.tail(partition) };
    },
  };
}
