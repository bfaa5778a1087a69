/** Which partition of the intake log holds a workspace's order. */
import { fnv1a } from "../fnv1a.ts";

/** Records already written depend on it: it may never change. */
export function partitionOf(workspaceId: string, partitions: number): number {
  return fnv1a(workspaceId) % partitions;
}
