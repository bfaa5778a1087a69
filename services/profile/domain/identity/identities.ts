/** The resolver's view of a workspace's identity rows: a bounded cache, with the writes of the record at hand on top. */
import type { IdentityKey, JobRow, MergeRow, PendingRow, RepeatRow, Sharer, UserRow } from "./identity.ts";
import type { UserId } from "../record/user-key.ts";
import { type AddressKey, type DeviceKey, type NameKey, takerKey, userRowKey } from "./user-names.ts";
import { userIdOf } from "./row-keys.ts";
import { packedOthers, packedUsers } from "./packed-rows.ts";
import { RowGenerations } from "./row-generations.ts";

/**
 * Reads are synchronous and throw NeedRows where a row is not known. Rows are values, never changed in place, and each read may give another equal one.
 * A driver loads, resolves, writes `changes()` and then confirms, or sends them and goes on while they are written (or drops everything, if the write failed).
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
  /** Takes what the store has under the keys; what is not found is known to be absent. Rows written since are not overwritten. */
  load(keys: readonly IdentityKey[], found: ReadonlyMap<IdentityKey, unknown>): void;
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
  /** One net value a row written since the last `confirm` or `send`; undefined deletes. Nothing is resolved between the two. */
  changes(): ReadonlyMap<IdentityKey, unknown>;
  /** The changes are in the store. */
  confirm(): void;
  /** The changes are in force and on the way to the store: what that says of them does not count until they have `arrived`. Those sent before have. */
  send(): void;
  /** What was sent is in the store. */
  arrived(): void;
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
  const users = new RowGenerations(packedUsers);
  const others = new RowGenerations(packedOthers);
  const both = [users, others];

  return {
    load(keys, found) {
      for (const key of keys) {
        const row = found.get(key);
        const id = idIn(key, row);
        if (id === undefined) others.load(key, row ?? null);
        else users.load(id, row ?? null);
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
      for (const [key, row] of others.changes()) if (!isCounted(key)) changes.set(key, row ?? undefined);
      for (const [id, row] of users.changes()) changes.set(userRowKey(id), row ?? undefined);
      // Behind all others: a resolver of a build that does not count goes on inside a record by the numbers of its rows
      for (const [key, row] of others.changes()) if (isCounted(key)) changes.set(key, row ?? undefined);
      return changes;
    },
    confirm() {
      for (const rows of both) {
        rows.send();
        rows.arrived();
      }
    },
    send: () => both.forEach((rows) => rows.send()),
    arrived: () => both.forEach((rows) => rows.arrived()),
    drop: () => both.forEach((rows) => rows.drop()),
    evict(entriesMax) {
      if ((users.youngSize + others.youngSize) * 2 > entriesMax) { for (const rows of both) rows.age(); }
      if (users.oldSize + others.oldSize > entriesMax) { for (const rows of both) rows.dropOld(); }
    },
  };
}

function isCounted(key: IdentityKey): boolean {
  return key.startsWith("n:") && key !== "n:users";
}

/** The user whose row it is: the id as the row has it, since a piece of a key takes longer to compare. */
function idIn(key: IdentityKey, row: unknown): UserId | undefined {
  const id = userIdOf(key);
  return id === undefined ? undefined : (row as UserRow | undefined)?.id ?? id;
}
