/**
 * Users as the store has them, in memory, those out first who were not read lately: as objects, and once evicted from these as the texts of their rows, which take
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
      const known = users.get(workspaceId, id);
      if (known !== undefined) return known;
      const stored = rows.take(workspaceId, id);
      if (stored === undefined) return undefined;
      const user = { ...stored, profile: stored.row === "" ? undefined : profileOf(stored.row) };
      users.put(workspaceId, id, user);
      return user;
    },
    set(workspaceId, id, user) {
      if (!users.put(workspaceId, id, user)) rows.take(workspaceId, id);
    },
    delete(workspaceId, id) {
      users.take(workspaceId, id);
      rows.take(workspaceId, id);
    },
    clear() {
      users.clear();
      rows.clear();
    },
    evict() {
      for (const { workspaceId, id, value: { profile: _, ...row } } of users.beyond(bytesMax)) {
        // One very large user would drive out all others
        if (row.row.length * limits.profileRowShareMax <= rowBytesMax) rows.put(workspaceId, id, row);
      }
      for (const _ of rows.beyond(rowBytesMax));
    },
  };
}

type StoredRow = Omit<StoredUser, "profile">;

interface Sized<Value> {
  get(workspaceId: string, id: UserId): Value | undefined;
  /** Whether it took the place of an earlier one of the user. */
  put(workspaceId: string, id: UserId, value: Value): boolean;
  take(workspaceId: string, id: UserId): Value | undefined;
  /** Takes out until the rest fits: in the order in which they came, but for those that were read since their turn came last. */
  beyond(bytesMax: number): Generator<Entry<Value>>;
  clear(): void;
}

interface Entry<Value> {
  workspaceId: string;
  readonly id: UserId;
  value: Value;
  /** Since its turn to go came last. */
  wasRead: boolean;
}

/**
 * A Map has the order of insertion. An entry that was read goes to its end when its turn to go comes, and not at each read: that would take as long as
 * applying a small record. The key is the id alone, as two workspaces do not have the same ids; if they had, one would drive out the other.
 */
function sized<Value extends StoredRow>(entryBytes: number): Sized<Value> {
  const entries = new Map<UserId, Entry<Value>>();
  let bytes = 0;
  function bytesOf({ value }: Entry<Value>): number {
    return value.row.length + entryBytes;
  }
  function take(workspaceId: string, id: UserId): Value | undefined {
    const entry = entries.get(id);
    if (entry?.workspaceId !== workspaceId) return undefined;
    entries.delete(id);
    bytes -= bytesOf(entry);
    return entry.value;
  }
  return {
    get(workspaceId, id) {
      const entry = entries.get(id);
      if (entry?.workspaceId !== workspaceId) return undefined;
      entry.wasRead = true;
      return entry.value;
    },
    put(workspaceId, id, value) {
      const entry = entries.get(id);
      if (entry === undefined) {
        entries.set(id, { workspaceId, id, value, wasRead: false });
        bytes += value.row.length + entryBytes;
        return false;
      }
      const isOwn = entry.workspaceId === workspaceId;
      bytes += value.row.length - entry.value.row.length;
      entry.workspaceId = workspaceId;
      entry.value = value;
      return isOwn;
    },
    take,
    *beyond(bytesMax) {
      for (const [id, entry] of entries) {
        if (bytes <= bytesMax) return;
        entries.delete(id);
        if (entry.wasRead) {
          entry.wasRead = false;
          entries.set(id, entry);
        } else {
          bytes -= bytesOf(entry);
          yield entry;
        }
      }
    },
    clear() {
      entries.clear();
      bytes = 0;
    },
  };
}
