/** Which partition of the intake log holds a workspace's order. */

/** FNV-1a over UTF-16 units. Records already written depend on it: it may never change. */
export function partitionOf(workspaceId: string, partitions: number): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < workspaceId.length; index += 1) {
    hash = Math.imul(hash ^ workspaceId.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0) % partitions;
}
