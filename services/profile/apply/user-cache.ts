/** Users as the store has them, in memory, least recently used out first. */
import type { StoredUser } from "../domain/ports.ts";
import type { UserId } from "../domain/user-key.ts";

export interface UserCache {
  get(workspaceId: string, id: UserId): StoredUser | undefined;
  set(workspaceId: string, id: UserId, user: StoredUser): void;
  delete(workspaceId: string, id: UserId): void;
  clear(): void;
  /** Brings the size back under the bound; called between steps, so that a step never loses what it works on. */
  evict(): void;
}

/** Bounded by the length of the rows plus `entryBytes` for each user, which stands for what objects cost in memory. */
export function createUserCache(options: { bytesMax: number; entryBytes: number }): UserCache {
  const users = new Map<string, StoredUser>();
  let bytes = 0;
  function drop(key: string): void {
    const user = users.get(key);
    if (user === undefined) return;
    users.delete(key);
    bytes -= user.rowChars + options.entryBytes;
  }
  return {
    get(workspaceId, id) {
      const key = workspaceId + id;
      const user = users.get(key);
      if (user === undefined) return undefined;
      // Map keeps the order of insertion: taking out and putting back makes it the youngest.
      users.delete(key);
      users.set(key, user);
      return user;
    },
    set(workspaceId, id, user) {
      const key = workspaceId + id;
      drop(key);
      users.set(key, user);
      bytes += user.rowChars + options.entryBytes;
    },
    delete: (workspaceId, id) => drop(workspaceId + id),
    clear() {
      users.clear();
      bytes = 0;
    },
    evict() {
      for (const key of users.keys()) {
        if (bytes <= options.bytesMax) return;
        drop(key);
      }
    },
  };
}
