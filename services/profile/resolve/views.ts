/** The resolver's views, one a workspace; the workspace that was longest without a step goes first. */
import { getHeapStatistics } from "node:v8";
import { limits } from "../../../platform/limits.ts";
import { createIdentities, type Identities } from "../domain/identity/identities.ts";
import type { IdentityKey } from "../domain/identity/identity.ts";

export interface Views {
  of(workspaceId: string): Identities;
  /** What was resolved up to this place of the log is in force. */
  confirmed(through: number): void;
  /** The place that `confirmed` had last; 0: none. */
  readonly through: number;
  /** As RowCache.stored; undefined also where the workspace has no view. */
  stored(workspaceId: string, key: IdentityKey): unknown;
  /** Only between steps. */
  evict(): void;
  clear(): void;
}

/** Of one of `partitions` that a process may have all of. */
export function createViews(partitions = 1, rowsMax = rowsInHeap(getHeapStatistics().heap_size_limit, partitions)): Views {
  const views = new Map<string, Identities>();
  /** Since the last look. */
  const used = new Set<Identities>();
  let others = views.values();
  let through = 0;
  return {
    get through() {
      return through;
    },
    confirmed(place) {
      through = place;
    },
    stored: (workspaceId, key) => views.get(workspaceId)?.stored(key),
    of(workspaceId) {
      const view = views.get(workspaceId) ?? createIdentities(workspaceId);
      views.delete(workspaceId);
      views.set(workspaceId, view);
      used.add(view);
      return view;
    },
    evict() {
      for (const workspaceId of views.keys()) {
        if (views.size <= limits.workspacesCachedMax) break;
        views.delete(workspaceId);
      }
      const share = Math.ceil(rowsMax / Math.max(1, views.size));
      for (const view of used) view.evict(share);
      // With each workspace that comes, all have a smaller share: as many others are looked at, and one more, which comes round in the end
      for (let left = used.size; left >= 0; left -= 1) {
        const next = others.next();
        if (next.done) others = views.values();
        else next.value.evict(share);
      }
      used.clear();
    },
    clear() {
      used.clear();
      for (const view of views.values()) view.drop();
      views.clear();
    },
  };
}

/** A miss reads the store once a row, so each partition keeps its share of what the heap has room for. */
export function rowsInHeap(heapBytesMax: number, partitions: number): number {
  return Math.max(limits.identityCacheEntriesMin, Math.floor(heapBytesMax / limits.identityCacheHeapBytesEach / partitions));
}
