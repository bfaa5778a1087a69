/** The hash that places ids in lanes, buckets and partitions. */

/** FNV-1a, 32 bits, over UTF-16 code units; `after`: the hash of what stands before. What is written depends on it: it may never change. */
export function fnv1a(text: string, after = 0x811c9dc5): number {
  let hash = after;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

let latestId = "";
let latestHash = fnv1a(latestId);

/** The same of a workspace, which is asked for each of its objects in a row. */
export function workspaceHash(workspaceId: string): number {
  if (latestId !== workspaceId) {
    latestHash = fnv1a(workspaceId);
    latestId = workspaceId;
  }
  return latestHash;
}
