/** The intake log behind the Intake port: which partition a workspace's order lives in, and its records as bytes. */
import type { Log } from "../../../platform/log/log.ts";
import type { Intake } from "../domain/ports.ts";
import { encodeRecord } from "./record-message.ts";

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

/** FNV-1a over UTF-16 units. Records already written depend on it: it may never change. */
export function partitionOf(workspaceId: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < workspaceId.length; index += 1) {
    hash = Math.imul(hash ^ workspaceId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
