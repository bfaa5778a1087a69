/** The resolver's view of a workspace's identity rows: a bounded cache, with the writes of the record at hand on top. */
import type { IdentityKey, JobRow, MergeRow, PendingRow, RepeatRow, Sharer, UserRow } from "./identity.ts";
import type { AddressKey, NameKey } from "./user-names.ts";
import type { UserId } from "./user-key.ts";

/**
 * Reads are synchronous and throw NeedRows where a row is not known. Rows are values: nobody changes them in place.
 * A driver loads, resolves, writes `changes()` and then confirms (or drops everything, if the write failed).
 */
export interface Identities extends RowCache {
  readonly workspaceId: string;
  /** The live user who holds the name. */
  userOf(name: NameKey): UserRow | undefined;
  /** Whom the name points to, alive or not (see IdentityKey). */
  holderOf(name: NameKey): UserId | undefined;
  user(id: UserId): UserRow | undefined;
  sharers(address: AddressKey): readonly Sharer[];
  repeat(keyHash: string): RepeatRow | undefined;
  job(jobId: string): JobRow | undefined;
  merge(mergeId: string): MergeRow | undefined;
  /** Memberships that wait for the name. */
  pending(name: NameKey | AddressKey): PendingRow | undefined;
  /** Names that memberships wait for, in the whole workspace. */
  pendingCount(): number;
  /** Throws NeedRows for all of the rows that are not known, so that they are loaded together. */
  need(keys: readonly IdentityKey[]): void;
}

export interface RowCache {
  /** Takes rows from the store; undefined: known to be absent. Rows written since are not overwritten. */
  load(rows: Iterable<readonly [IdentityKey, unknown]>): void;
  /** The row, null where it is absent, undefined where it is not known. Never throws. */
  peek(key: IdentityKey): unknown;
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

const nobody: readonly Sharer[] = [];

export function createIdentities(workspaceId: string): Identities {
  const cache = createRowCache();

  function read(key: IdentityKey): unknown {
    const row = cache.peek(key);
    if (row === undefined) throw new NeedRows([key]);
    return row ?? undefined;
  }

  function user(id: UserId): UserRow | undefined {
    return read(`u:${id}`) as UserRow | undefined;
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
    sharers: (address) => (read(address) as readonly Sharer[] | undefined) ?? nobody,
    repeat: (keyHash) => read(`r:${keyHash}`) as RepeatRow | undefined,
    job: (jobId) => read(`j:${jobId}`) as JobRow | undefined,
    merge: (mergeId) => read(`m:${mergeId}`) as MergeRow | undefined,
    pending: (name) => read(`w:${name}`) as PendingRow | undefined,
    pendingCount: () => (read("w:count") as number | undefined) ?? 0,
    need(keys) {
      const unknown = keys.filter((key) => cache.peek(key) === undefined);
      if (unknown.length > 0) throw new NeedRows(unknown);
    },
  };
}

/**
 * Two generations: a row read in the old one moves to the young one, and the old one is dropped as a whole. What is
 * not confirmed is kept apart, so that no eviction can lose it. In all the maps null is a row known to be absent.
 */
function createRowCache(): RowCache {
  let young = new Map<IdentityKey, unknown>();
  let old = new Map<IdentityKey, unknown>();
  let unconfirmed = new Map<IdentityKey, unknown>();
  const overlay = new Map<IdentityKey, unknown>();

  return {
    load(rows) {
      for (const [key, row] of rows) {
        if (!unconfirmed.has(key)) young.set(key, row ?? null);
      }
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
    put(key, row) {
      overlay.set(key, row ?? null);
    },
    keep() {
      if (overlay.size === 0) return;
      for (const [key, row] of overlay) {
        young.set(key, row);
        unconfirmed.set(key, row);
      }
      overlay.clear();
    },
    discard: () => overlay.clear(),
    changes() {
      const changes = new Map<IdentityKey, unknown>();
      for (const [key, row] of unconfirmed) changes.set(key, row ?? undefined);
      return changes;
    },
    confirm() {
      unconfirmed = new Map();
    },
    drop() {
      young = new Map();
      old = new Map();
      unconfirmed = new Map();
      overlay.clear();
    },
    evict(entriesMax) {
      if (young.size * 2 > entriesMax) {
        old = young;
        young = new Map();
      }
      if (old.size > entriesMax) old = new Map();
    },
  };
}
