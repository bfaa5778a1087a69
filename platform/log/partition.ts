/** Which partition of the intake log holds a workspace's order. */
import { hashOf } from "../user-number.ts";

/** Records already written depend on it: it may never change. */
export function partitionOf(workspaceId: string, partitions: number): number {
  return hashOf(workspaceId) % partitions;
}
