/**
 * Users as the store has them, in memory: as objects, and where there is no room for that as the texts of their rows, which take less than half of the memory and are not
 * traced by the garbage collector. A user who is changed rarely stays a text: the object that a step makes of it dies young. One who was changed lately becomes an
 * object, without its text, which each change would make anew.
 */
import type { RecordId } from "../../../platform/age.ts";
import { getHeapStatistics } from "node:v8";
import { limits } from "../../../platform/limits.ts";
import { noItems } from "../../../platform/own-entries.ts";
import type { StoredUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { UserId } from "../domain/record/user-key.ts";

export interface UserCache {
  get(workspaceId: string, id: UserId): StoredUser | undefined;
  set(workspaceId: string, id: UserId, user: StoredUser): void;
  delete(workspaceId: string, id: UserId): void;
  clear(): void;
  /** Brings the size back under the bounds; called between steps, so that a step never loses what it works on. */
  evict(): void;
}

export interface UserCacheOptions extends RowForm {
  /** Of users as objects: the length of their rows plus `entryBytes` each, which stands for what objects cost. */
  readonly bytesMax: number;
  readonly entryBytes: number;
  /** Of users as texts: their characters plus `profileRowEntryBytes` each. */
  readonly rowBytesMax: number;
}

/** How the store writes a profile as its row, and reads it. */
interface RowForm {
  readonly profileFromRow: (row: string) => Profile;
  readonly profileToRow: (profile: Profile) => string;
}

/** Of one of `parts` that share the room of a process, which depends on how far its heap may grow. */
export function userCacheOptions(parts: number, form: RowForm, heapBytesMax = getHeapStatistics().heap_size_limit): UserCacheOptions {
  return {
    ...form,
    bytesMax: limits.profileCacheBytesMax / parts,
    entryBytes: limits.profileCacheEntryBytes,
    rowBytesMax: heapBytesMax / limits.profileRowsHeapShare / parts,
  };
}

export function createUserCache({ bytesMax, entryBytes, rowBytesMax, ...form }: UserCacheOptions): UserCache {
  const objects = usersAsObjects(entryBytes);
  const texts = usersAsTexts(form);
  let changes = 0;
  /** One very large user would drive out all others. */
  function fitsAsText(rowLength: number): boolean {
    return rowLength * limits.profileRowShareMax <= rowBytesMax;
  }
  function fitsAsObject(rowLength: number): boolean {
    return (rowLength + entryBytes) * limits.profileObjectShareMax <= bytesMax;
  }
  /** Who is too large for a text, or finds room, or was changed before and since then no more others were than there are objects. */
  function becomesObject(workspaceId: string, id: UserId, { length }: string): boolean {
    if (!fitsAsText(length) || objects.bytes() + length + entryBytes <= bytesMax) return true;
    return changes - texts.changedAt(workspaceId, id) <= objects.count();
  }
  function forget(workspaceId: string, id: UserId): void {
    objects.delete(workspaceId, id);
    texts.delete(workspaceId, id);
  }
  return {
    get: (workspaceId, id) => objects.get(workspaceId, id) ?? texts.get(workspaceId, id),
    set(workspaceId, id, user) {
      changes += 1;
      const { row } = user;
      if (!fitsAsText(row.length) && !fitsAsObject(row.length)) return forget(workspaceId, id);
      if (objects.replace(workspaceId, id, user)) return;
      if (becomesObject(workspaceId, id, row)) {
        objects.add(workspaceId, id, user);
        texts.delete(workspaceId, id);
      } else texts.put({ workspaceId, id, user, changedAt: changes });
    },
    delete: forget,
    clear() {
      objects.clear();
      texts.clear();
    },
    evict() {
      for (const user of objects.beyond(bytesMax)) {
        const { workspaceId, id, rowLength } = user;
        if (fitsAsText(rowLength)) texts.put({ workspaceId, id, user, changedAt: -Infinity });
      }
      texts.keep(rowBytesMax, changes);
    },
  };
}

/** Without the row, whose length stands for how large the object is. */
interface ObjectEntry {
  readonly workspaceId: string;
  readonly id: UserId;
  profile: Profile | undefined;
  readonly row: "";
  blocked: boolean;
  openMerges: readonly string[];
  mark: RecordId | undefined;
  /** Of the row as it was last made. */
  rowLength: number;
  /** Since its turn to go came last. */
  wasRead: boolean;
}

/**
 * A Map has the order of insertion. An entry that was read goes to its end when its turn to go comes, and not at each read: that would take as long as
 * applying a small record. The key is the id alone, as two workspaces do not have the same ids; if they had, one would drive out the other.
 */
function usersAsObjects(entryBytes: number) {
  const entries = new Map<UserId, ObjectEntry>();
  let bytes = 0;
  function own(workspaceId: string, id: UserId): ObjectEntry | undefined {
    const entry = entries.get(id);
    return entry?.workspaceId === workspaceId ? entry : undefined;
  }
  function remove(entry: ObjectEntry | undefined): void {
    if (entry !== undefined && entries.delete(entry.id)) bytes -= entry.rowLength + entryBytes;
  }
  return {
    bytes: () => bytes,
    count: () => entries.size,
    get(workspaceId: string, id: UserId): StoredUser | undefined {
      const entry = own(workspaceId, id);
      if (entry !== undefined) entry.wasRead = true;
      return entry;
    },
    /** Whether there is an earlier one of the user, whose place it takes. */
    replace(workspaceId: string, id: UserId, { profile, row, blocked, openMerges, mark }: StoredUser): boolean {
      const entry = own(workspaceId, id);
      if (entry === undefined) return false;
      entry.profile = profile;
      entry.blocked = blocked;
      entry.openMerges = openMerges;
      entry.mark = mark;
      // One that did not change comes without its row
      if (row === "" && profile !== undefined) return true;
      bytes += row.length - entry.rowLength;
      entry.rowLength = row.length;
      return true;
    },
    add(workspaceId: string, id: UserId, { profile, row, blocked, openMerges, mark }: StoredUser): void {
      remove(entries.get(id));
      entries.set(id, { workspaceId, id, profile, row: "", blocked, openMerges, mark, rowLength: row.length, wasRead: false });
      bytes += row.length + entryBytes;
    },
    delete: (workspaceId: string, id: UserId) => remove(own(workspaceId, id)),
    /** Takes out until the rest fits: in the order in which they came, but for those that were read since their turn came last. */
    *beyond(bytesMax: number): Generator<ObjectEntry> {
      // To find the first of a Map from which many were taken passes over their places
      if (bytes <= bytesMax) return;
      for (const [id, entry] of entries) {
        if (bytes <= bytesMax) return;
        if (entry.wasRead) {
          entry.wasRead = false;
          entries.delete(id);
          entries.set(id, entry);
        } else {
          remove(entry);
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

interface ToKeep {
  readonly workspaceId: string;
  readonly id: UserId;
  readonly user: StoredUser;
  /** The number of its last change; -Infinity: long ago. */
  readonly changedAt: number;
}

/**
 * One text a user, with all that was stored beside the row before it: nothing for the garbage collector to follow. One that is changed keeps its place, and goes to
 * the end when its turn to go comes: a Map with places that were left is made anew once half of them are, which takes milliseconds.
 */
function usersAsTexts({ profileFromRow, profileToRow }: RowForm) {
  const texts = new Map<UserId, string>();
  let bytes = 0;
  function remove(id: UserId, text: string): void {
    texts.delete(id);
    bytes -= text.length + limits.profileRowEntryBytes;
  }
  function own(workspaceId: string, id: UserId): string | undefined {
    const text = texts.get(id);
    return text?.startsWith(`${workspaceId}\n`) === true ? text : undefined;
  }
  return {
    get(workspaceId: string, id: UserId): StoredUser | undefined {
      const text = own(workspaceId, id);
      return text === undefined ? undefined : userFromText(text, profileFromRow);
    },
    /** As it was put; -Infinity: not known. */
    changedAt(workspaceId: string, id: UserId): number {
      const text = own(workspaceId, id);
      return text === undefined ? -Infinity : changedAtOf(text);
    },
    put({ workspaceId, id, user, changedAt }: ToKeep): void {
      const before = texts.get(id);
      const row = user.row === "" && user.profile !== undefined ? profileToRow(user.profile) : user.row;
      const text = textOf(workspaceId, changedAt, { ...user, row });
      texts.set(id, text);
      bytes += before === undefined ? text.length + limits.profileRowEntryBytes : text.length - before.length;
    },
    delete(workspaceId: string, id: UserId): void {
      const text = own(workspaceId, id);
      if (text !== undefined) remove(id, text);
    },
    /** Takes out until the rest fits: in the order in which they came, but for those that are among the latest changes, half as many as there are users: up to so many that others do not wait. */
    keep(bytesMax: number, changes: number): void {
      if (bytes <= bytesMax) return;
      const since = changes - texts.size / 2;
      let mayStay = limits.profileRowsMovedMax;
      for (const [id, text] of texts) {
        if (bytes <= bytesMax) return;
        if (mayStay > 0 && changedAtOf(text) > since) {
          mayStay -= 1;
          texts.delete(id);
          texts.set(id, text);
        } else remove(id, text);
      }
    },
    clear(): void {
      texts.clear();
      bytes = 0;
    },
  };
}

function changedAtOf(text: string): number {
  const begin = text.indexOf("\n") + 1;
  return Number(text.slice(begin, text.indexOf("\n", begin)));
}

/** Ids have no line end and no blank. Joined, as a text that is put together by `+` stays in pieces. */
function textOf(workspaceId: string, changedAt: number, { blocked, openMerges, mark, row }: StoredUser): string {
  return [
    workspaceId,
    changedAt,
    blocked ? "held" : "",
    openMerges.length === 0 ? "" : JSON.stringify(openMerges),
    mark === undefined ? "" : mark.join(" "),
    row,
  ].join("\n");
}

function userFromText(text: string, profileFromRow: RowForm["profileFromRow"]): StoredUser {
  const before = text.split("\n", 5);
  const [, , blocked = "", merges = "", mark = ""] = before;
  const row = text.slice(before.reduce((length, { length: own }) => length + own + 1, 0));
  const [sequence, part] = mark.split(" ");
  return {
    profile: row === "" ? undefined : profileFromRow(row),
    row,
    blocked: blocked !== "",
    // As JSON, since pieces of a text keep all of it
    openMerges: merges === "" ? noItems : (JSON.parse(merges) as string[]),
    ...(mark !== "" && { mark: [Number(sequence), Number(part)] as const }),
  };
}
