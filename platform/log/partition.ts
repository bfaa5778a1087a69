/** Which partition of the intake log holds a workspace's order. */
import { workspaceHash } from "../fnv1a.ts";

/** Records already written depend on it: it may never change. */
export function partitionOf(workspaceId: string, partitions: number): number {
  return workspaceHash(workspaceId) % partitions;
}

/** Throws RangeError for one that there is not. */
export function checkPartition(partition: number, partitions: number): void {
  if (Number.isInteger(partition) && partition >= 0 && partition < partitions) return;
  throw new RangeError(`Expected a partition from 0 to ${partitions - 1}, got ${partition}`);
}
