/**
 * Users as the store has them, in memory, least recently used out first: as objects, and once evicted from these as the texts of their rows, which take
 * a third of the memory and are not traced by the garbage collector.
 */
import { getHeapStatistics } from "node:v8";
import { limits } from "../../../platform/limits.ts";
import type { StoredUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import type { UserId } from "../domain/user-key.ts";

export interface UserCache {
  get(workspaceId: string, id: UserId): StoredUser | undefined;
  set(workspaceId: string, id: UserId, user: StoredUser): void;
  delete(workspaceId: string, id: UserId): void;
  clear(): void;
  /** Brings the size back under the bounds; called between steps, so that a step never loses what it works on. */
  evict(): void;
}

export interface UserCacheOptions {
  /** Of users as objects: the length of their rows plus `entryBytes` each, which stands for what objects cost. */
  readonly bytesMax: number;
  readonly entryBytes: number;
  /** Of users as texts: the characters of their rows plus `profileRowEntryBytes` each. */
  readonly rowBytesMax: number;
  /** A profile as the store makes it of its row. */
  readonly profileOf: (row: string) => Profile;
}

/** Of one of `parts` that share the room of a process, which depends on how far its heap may grow. */
export function userCacheOptions(
  parts: number,
  profileOf: (row: string) => Profile,
  heapBytesMax = getHeapStatistics().heap_size_limit,
): UserCacheOptions {
  return {
    bytesMax: limits.profileCacheBytesMax / parts,
    entryBytes: limits.profileCacheEntryBytes,
    rowBytesMax: heapBytesMax / limits.profileRowsHeapShare / parts,
    profileOf,
  };
}

export function createUserCache({ bytesMax, entryBytes, rowBytesMax, profileOf }: UserCacheOptions): UserCache {
  const users = sized<StoredUser>(entryBytes);
  const rows = sized<StoredRow>(limits.profileRowEntryBytes);
  return {
    get(workspaceId, id) {
      const key = workspaceId + id;
      const user = users.take(key) ?? made(rows.take(key), profileOf);
      // What is put back is the youngest
      if (user !== undefined) users.put(key, user);
      return user;
    },
    set(workspaceId, id, user) {
      const key = workspaceId + id;
      rows.take(key);
      users.put(key, user);
    },
    delete(workspaceId, id) {
      const key = workspaceId + id;
      users.take(key);
      rows.take(key);
    },
    clear() {
      users.clear();
      rows.clear();
    },
    evict() {
      for (const [key, { profile: _, ...row }] of users.beyond(bytesMax)) {
        // One very large user would drive out all others
        if (row.row.length * limits.profileRowShareMax <= rowBytesMax) rows.put(key, row);
      }
      for (const _ of rows.beyond(rowBytesMax));
    },
  };
}

type StoredRow = Omit<StoredUser, "profile">;

function made(stored: StoredRow | undefined, profileOf: UserCacheOptions["profileOf"]): StoredUser | undefined {
  return stored && { ...stored, profile: stored.row === "" ? undefined : profileOf(stored.row) };
}

interface Sized<Entry> {
  put(key: string, entry: Entry): void;
  take(key: string): Entry | undefined;
  /** Takes out the oldest until the rest fits. */
  beyond(bytesMax: number): Generator<readonly [key: string, entry: Entry]>;
  clear(): void;
}

/** By age, as a Map keeps the order of insertion. */
function sized<Entry extends StoredRow>(entryBytes: number): Sized<Entry> {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  function take(key: string): Entry | undefined {
    const entry = entries.get(key);
    if (entry === undefined) return undefined;
    entries.delete(key);
    bytes -= entry.row.length + entryBytes;
    return entry;
  }
  return {
    put(key, entry) {
      take(key);
      entries.set(key, entry);
      bytes += entry.row.length + entryBytes;
    },
    take,
    *beyond(bytesMax) {
      for (const [key, entry] of entries) {
        if (bytes <= bytesMax) return;
        take(key);
        yield [key, entry];
      }
    },
    clear() {
      entries.clear();
      bytes = 0;
    },
  };
}
