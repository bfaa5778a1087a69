/** The resolver's view of a workspace's identity rows: a bounded cache, with the writes of the record at hand on top. */
import type { IdentityKey, JobRow, MergeRow, PendingRow, RepeatRow, Sharer, UserRow } from "./identity.ts";
import type { UserId } from "./user-key.ts";
import {
  type AddressKey,
  compactRow,
  compactSharers,
  type DeviceKey,
  isAddressKey,
  type NameKey,
  takerKey,
  userIdOf,
  userRowKey,
} from "./user-names.ts";

/**
 * Reads are synchronous and throw NeedRows where a row is not known. Rows are values, never changed in place.
 * A driver loads, resolves, writes `changes()` and then confirms (or drops everything, if the write failed).
 */
export interface Identities extends RowCache {
  readonly workspaceId: string;
  /** The live user who holds the name. */
  userOf(name: NameKey): UserRow | undefined;
  /** Whom the name points to, alive or not (see IdentityKey). */
  holderOf(name: NameKey): UserId | undefined;
  user(id: UserId): UserRow | undefined;
  /** The live user of a device. */
  deviceUserOf(device: DeviceKey): UserId | undefined;
  /** Who has taken in the user of this id. */
  takerOf(id: UserId): UserId | undefined;
  sharers(address: AddressKey): readonly Sharer[];
  repeat(keyHash: string): RepeatRow | undefined;
  job(jobId: string): JobRow | undefined;
  merge(mergeId: string): MergeRow | undefined;
  /** Memberships that wait for the name. */
  pending(name: NameKey | AddressKey): PendingRow | undefined;
  /** Names that memberships wait for, in the whole workspace. */
  pendingCount(): number;
  /** The number of the user who was numbered last. */
  userCount(): number;
  /** Throws NeedRows for all of the rows that are not known, so that they are loaded together. */
  need(keys: readonly IdentityKey[]): void;
}

interface RowCache {
  /** Takes rows from the store; undefined: known to be absent. Rows written since are not overwritten. */
  load(rows: Iterable<readonly [IdentityKey, unknown]>): void;
  /** The row, null where it is absent, undefined where it is not known. Never throws. */
  peek(key: IdentityKey): unknown;
  /** As `peek`, of a row as the store has it; undefined also where a change of it is not confirmed. */
  stored(key: IdentityKey): unknown;
  /** As `peek` of a user's row, without a key. */
  peekUser(id: UserId): UserRow | null | undefined;
  /** Writes a row of the record at hand; undefined deletes it. */
  put(key: IdentityKey, row: unknown): void;
  /** The record at hand is resolved: its writes stay. */
  keep(): void;
  /** The record at hand is given up: its writes are forgotten. */
  discard(): void;
  /** One net value a row written since the last `confirm`; undefined deletes. Nothing is resolved between the two. */
  changes(): ReadonlyMap<IdentityKey, unknown>;
  /** The changes are in the store. */
  confirm(): void;
  /** Forgets everything, changes too: the store may hold something else. */
  drop(): void;
  /** Forgets rows that were not read for long, down to about `entriesMax`; never between loading and resolving. */
  evict(entriesMax: number): void;
}

/** Thrown by a read of rows that are neither cached nor written by the record at hand. A signal, not a fault. */
export class NeedRows {
  readonly keys: readonly IdentityKey[];

  constructor(keys: readonly IdentityKey[]) {
    this.keys = keys;
  }
}

const noSharers: readonly Sharer[] = [];

export function createIdentities(workspaceId: string): Identities {
  const cache = createRowCache();

  function read(key: IdentityKey): unknown {
    const row = cache.peek(key);
    if (row === undefined) throw new NeedRows([key]);
    return row ?? undefined;
  }

  function user(id: UserId): UserRow | undefined {
    const row = cache.peekUser(id);
    if (row === undefined) throw new NeedRows([userRowKey(id)]);
    return row ?? undefined;
  }

  return {
    ...cache,
    workspaceId,
    userOf(name) {
      const id = read(name) as UserId | undefined;
      return id === undefined ? undefined : user(id);
    },
    holderOf: (name) => read(name) as UserId | undefined,
    user,
    deviceUserOf: (device) => read(device) as UserId | undefined,
    takerOf: (id) => read(takerKey(id)) as UserId | undefined,
    sharers: (address) => (read(address) as readonly Sharer[] | undefined) ?? noSharers,
    repeat: (keyHash) => read(`r:${keyHash}`) as RepeatRow | undefined,
    job: (jobId) => read(`j:${jobId}`) as JobRow | undefined,
    merge: (mergeId) => read(`m:${mergeId}`) as MergeRow | undefined,
    pending: (name) => read(`w:${name}`) as PendingRow | undefined,
    pendingCount: () => (read("w:count") as number | undefined) ?? 0,
    userCount: () => (read("n:users") as number | undefined) ?? 0,
    need(keys) {
      const unknown = keys.filter((key) => cache.peek(key) === undefined);
      if (unknown.length > 0) throw new NeedRows(unknown);
    },
  };
}

/**
 * Rows of users lie apart, by id: a fan-out asks for those of ten thousand, and the id is at hand while a key would have
 * to be made and hashed for each.
 */
function createRowCache(): RowCache {
  const users = createGenerations<UserId>();
  const others = createGenerations<IdentityKey>();
  const both = [users, others];

  return {
    load(rows) {
      for (const [key, row] of rows) {
        const id = idIn(key, row);
        if (id !== undefined) users.load(id, row ? compactRow(row as UserRow) : null);
        else others.load(key, isAddressKey(key) && row ? compactSharers(row as readonly Sharer[]) : row ?? null);
      }
    },
    peek(key) {
      const id = userIdOf(key);
      return id === undefined ? others.peek(key) : users.peek(id);
    },
    stored(key) {
      const id = userIdOf(key);
      return id === undefined ? others.stored(key) : users.stored(id);
    },
    peekUser: (id) => users.peek(id) as UserRow | null | undefined,
    put(key, row) {
      const id = idIn(key, row);
      if (id === undefined) others.put(key, row ?? null);
      else users.put(id, row ?? null);
    },
    keep() {
      for (const rows of both) rows.keep();
    },
    discard() {
      for (const rows of both) rows.discard();
    },
    changes() {
      const changes = new Map<IdentityKey, unknown>();
      for (const [key, row] of others.changes()) changes.set(key, row ?? undefined);
      for (const [id, row] of users.changes()) changes.set(userRowKey(id), row ?? undefined);
      // Behind all others: a resolver of a build that does not count goes on inside a record by the numbers of its rows
      for (const key of others.changes().keys()) if (isCounted(key)) moveLast(changes, key);
      return changes;
    },
    confirm() {
      for (const rows of both) rows.confirm();
    },
    drop() {
      for (const rows of both) rows.drop();
    },
    evict(entriesMax) {
      if ((users.young() + others.young()) * 2 > entriesMax) { for (const rows of both) rows.age(); }
      if (users.old() + others.old() > entriesMax) { for (const rows of both) rows.dropOld(); }
    },
  };
}

function isCounted(key: IdentityKey): boolean {
  return key.startsWith("n:") && key !== "n:users";
}

function moveLast(changes: Map<IdentityKey, unknown>, key: IdentityKey): void {
  const row = changes.get(key);
  changes.delete(key);
  changes.set(key, row);
}

/** The user whose row it is: the id as the row has it, since a piece of a key takes longer to compare. */
function idIn(key: IdentityKey, row: unknown): UserId | undefined {
  const id = userIdOf(key);
  return id === undefined ? undefined : (row as UserRow | undefined)?.id ?? id;
}

/** Rows of one kind by their keys, as RowCache has them; null is a row known to be absent. */
interface Generations<Key> {
  load(key: Key, row: unknown): void;
  peek(key: Key): unknown;
  stored(key: Key): unknown;
  put(key: Key, row: unknown): void;
  keep(): void;
  discard(): void;
  changes(): ReadonlyMap<Key, unknown>;
  confirm(): void;
  drop(): void;
  /** How many rows each generation has. */
  young(): number;
  old(): number;
  /** The young rows are the old ones from now on. */
  age(): void;
  dropOld(): void;
}

/**
 * Two generations: a row read in the old one moves to the young one, and the old one is dropped as a whole. What is
 * not confirmed is kept apart, so that no eviction can lose it.
 */
function createGenerations<Key>(): Generations<Key> {
  let young = new Map<Key, unknown>();
  let old = new Map<Key, unknown>();
  let unconfirmed = new Map<Key, unknown>();
  const overlay = new Map<Key, unknown>();

  return {
    load(key, row) {
      if (!unconfirmed.has(key)) young.set(key, row);
    },
    peek(key) {
      const written = overlay.size > 0 ? overlay.get(key) : undefined;
      if (written !== undefined) return written;
      const cached = young.get(key);
      if (cached !== undefined) return cached;
      const changed = unconfirmed.get(key);
      const known = changed === undefined ? old.get(key) : changed;
      if (known !== undefined) young.set(key, known);
      return known;
    },
    stored(key) {
      if (unconfirmed.has(key)) return undefined;
      const recent = young.get(key);
      return recent === undefined ? old.get(key) : recent;
    },
    put: (key, row) => void overlay.set(key, row),
    keep() {
      if (overlay.size === 0) return;
      for (const [key, row] of overlay) {
        young.set(key, row);
        unconfirmed.set(key, row);
      }
      overlay.clear();
    },
    discard: () => overlay.clear(),
    changes: () => unconfirmed,
    confirm() {
      unconfirmed = new Map();
    },
    drop() {
      young = new Map();
      old = new Map();
      unconfirmed = new Map();
      overlay.clear();
    },
    young: () => young.size,
    old: () => old.size,
    age() {
      old = young;
      young = new Map();
    },
    dropOld() {
      old = new Map();
    },
  };
}
