/**
 * Users as the store has them, in memory, those out first who were not read lately: as objects, and once evicted from these as the texts of their rows, which take
 * a third of the memory and are not traced by the garbage collector.
 */
import { getHeapStatistics } from "node:v8";
import { limits } from "../../../platform/limits.ts";
import { noItems } from "../../../platform/own-entries.ts";
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
  /** Of users as texts: their characters plus `profileRowEntryBytes` each. */
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
  const users = usersAsObjects(entryBytes);
  const rows = usersAsTexts();
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
      users.delete(workspaceId, id);
      rows.take(workspaceId, id);
    },
    clear() {
      users.clear();
      rows.clear();
    },
    evict() {
      for (const entry of users.beyond(bytesMax)) {
        // One very large user would drive out all others
        if (entry.user.row.length * limits.profileRowShareMax <= rowBytesMax) rows.put(entry);
      }
      rows.keep(rowBytesMax);
    },
  };
}

type StoredRow = Omit<StoredUser, "profile">;

interface Entry {
  workspaceId: string;
  readonly id: UserId;
  user: StoredUser;
  /** Since its turn to go came last. */
  wasRead: boolean;
}

/**
 * A Map has the order of insertion. An entry that was read goes to its end when its turn to go comes, and not at each read: that would take as long as
 * applying a small record. The key is the id alone, as two workspaces do not have the same ids; if they had, one would drive out the other.
 */
function usersAsObjects(entryBytes: number) {
  const entries = new Map<UserId, Entry>();
  let bytes = 0;
  function bytesOf(user: StoredUser): number {
    return user.row.length + entryBytes;
  }
  return {
    get(workspaceId: string, id: UserId): StoredUser | undefined {
      const entry = entries.get(id);
      if (entry?.workspaceId !== workspaceId) return undefined;
      entry.wasRead = true;
      return entry.user;
    },
    /** Whether it took the place of an earlier one of the user. */
    put(workspaceId: string, id: UserId, user: StoredUser): boolean {
      const entry = entries.get(id);
      if (entry === undefined) {
        entries.set(id, { workspaceId, id, user, wasRead: false });
        bytes += bytesOf(user);
        return false;
      }
      const isOwn = entry.workspaceId === workspaceId;
      bytes += bytesOf(user) - bytesOf(entry.user);
      entry.workspaceId = workspaceId;
      entry.user = user;
      return isOwn;
    },
    delete(workspaceId: string, id: UserId): void {
      const entry = entries.get(id);
      if (entry?.workspaceId !== workspaceId) return;
      entries.delete(id);
      bytes -= bytesOf(entry.user);
    },
    /** Takes out until the rest fits: in the order in which they came, but for those that were read since their turn came last. */
    *beyond(bytesMax: number): Generator<Entry> {
      for (const [id, entry] of entries) {
        if (bytes <= bytesMax) return;
        entries.delete(id);
        if (entry.wasRead) {
          entry.wasRead = false;
          entries.set(id, entry);
        } else {
          bytes -= bytesOf(entry.user);
          yield entry;
        }
      }
    },
    clear(): void {
      entries.clear();
      bytes = 0;
    },
  };
}

/** One text a user, with all that was stored beside the row before it: nothing for the garbage collector to follow. The oldest goes first. */
function usersAsTexts() {
  const texts = new Map<UserId, string>();
  let bytes = 0;
  function drop(id: UserId, text: string): void {
    texts.delete(id);
    bytes -= text.length + limits.profileRowEntryBytes;
  }
  function take(workspaceId: string, id: UserId): StoredRow | undefined {
    const text = texts.get(id);
    if (text === undefined || !text.startsWith(`${workspaceId}\n`)) return undefined;
    drop(id, text);
    return rowFromText(text);
  }
  return {
    put({ workspaceId, id, user }: Entry): void {
      const before = texts.get(id);
      if (before !== undefined) drop(id, before);
      const text = textOfRow(workspaceId, user);
      texts.set(id, text);
      bytes += text.length + limits.profileRowEntryBytes;
    },
    take,
    keep(bytesMax: number): void {
      for (const [id, text] of texts) {
        if (bytes <= bytesMax) return;
        drop(id, text);
      }
    },
    clear(): void {
      texts.clear();
      bytes = 0;
    },
  };
}

/** Ids have no line end and no blank. Joined, as a text that is put together by `+` stays in pieces. */
function textOfRow(workspaceId: string, { row, held, openMerges, mark }: StoredRow): string {
  return [workspaceId, held ? "held" : "", openMerges.join(" "), mark === undefined ? "" : mark.join(" "), row].join("\n");
}

function rowFromText(text: string): StoredRow {
  const before = text.split("\n", 4);
  const [, held = "", merges = "", mark = ""] = before;
  const [sequence, part] = mark.split(" ");
  return {
    row: text.slice(before.reduce((length, { length: own }) => length + own + 1, 0)),
    held: held !== "",
    openMerges: merges === "" ? noItems : merges.split(" "),
    ...(mark !== "" && { mark: [Number(sequence), Number(part)] as const }),
  };
}
