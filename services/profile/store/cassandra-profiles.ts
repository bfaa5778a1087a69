/** Profiles read back from Cassandra: one row a user, and what lies in partitions of its own. */
import type { RecordId } from "../../../platform/age.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import { gather } from "../../../platform/cassandra/gather.ts";
import { mayBeTooMuch } from "../../../platform/cassandra/outcome.ts";
import { readAll, type Row, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { createGate } from "../../../platform/gate.ts";
import { limits } from "../../../platform/limits.ts";
import { slicesOf } from "../../../platform/slices-by-size.ts";
import type { BlockedUser, FrozenMerge, ProfileStore, StoredUser } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { UserId } from "../domain/record/user-key.ts";
import { profileFromBlob, textOfBody } from "./cassandra-values.ts";
import { profileFromRow } from "./rows.ts";
import { selectFrozen, selectJournal, selectSomeUsers, selectUndoUntil } from "./statements.ts";
import { type BucketOf, locationOf, statementAt, type UserRowLocation } from "./user-row-location.ts";

export type ProfileReads = Pick<ProfileStore, "load" | "loadFrozen" | "loadBlocked" | "loadUsers">;

export function cassandraProfileReads(session: Session, bucketOf: BucketOf): ProfileReads {
  const sizes = { sizeMax: limits.bucketRowsPerRead, atOnceMax: limits.callsOfBucketAtOnceMax };
  const together = gather<Asked, Rows>(async (asked) => await rowsOf(session, asked), sizes);
  const gate = createGate(limits.cassandraLanesInFlightMax);

  /** Those of the ids that `read` finds something for. */
  async function found<Thing>(ids: readonly string[], read: (id: string) => Promise<Thing | undefined>): Promise<Map<string, Thing>> {
    const things = await inFlight(ids, limits.cassandraInFlightMax, read);
    return new Map(ids.flatMap((id, at) => {
      const thing = things[at];
      return thing === undefined ? [] : [[id, thing] as const];
    }));
  }
  /** Those of a bucket in one statement. */
  async function users(workspaceId: string, ids: readonly UserId[], read: (asked: Asked) => Promise<Rows>): Promise<Map<UserId, Row>> {
    const reads = readsOf(ids.map((id) => locationOf(workspaceId, id, bucketOf)));
    const rows = await inFlight(reads, limits.cassandraInFlightMax, read);
    return new Map(rows.flatMap((some) => [...some]));
  }

  /** For appliers: with those of the bucket that other lanes ask for meanwhile. */
  async function gathered(asked: Asked): Promise<Rows> {
    const [first] = asked;
    if (first?.bucket === undefined) return await gate.run(() => rowsOf(session, [asked]));
    return await together.call(first.partition, asked, asked.length);
  }

  return {
    async load(workspaceId, ids) {
      const rows = await users(workspaceId, ids, (asked) => rowsOf(session, [asked]));
      return await found(ids, (id) => Promise.resolve(profileOfRow(rows.get(id))));
    },
    async loadUsers(workspaceId, ids) {
      const rows = await users(workspaceId, ids, gathered);
      return await found(ids, (id) => userOfRow(session, workspaceId, rows.get(id)));
    },
    loadFrozen: (workspaceId, mergeIds) => found(mergeIds, (id) => readFrozen(session, workspaceId, id)),
    loadBlocked: (workspaceId, ids, max) => found(ids, (id) => readBlocked(session, locationOf(workspaceId, id, bucketOf), max)),
  };
}

/** Users of one partition. */
type Asked = readonly UserRowLocation[];
type Rows = ReadonlyMap<UserId, Row>;

/** `bucketRowsPerRead` users of a bucket at most, or one who lies alone. */
function readsOf(locations: readonly UserRowLocation[]): Asked[] {
  return [...Map.groupBy(locations, ({ partition }) => partition).values()].flatMap((some) => slicesOf(some, limits.bucketRowsPerRead));
}

/** Rows may have megabytes each: where some of them together do not come, or not in time, fewer do. */
async function rowsOf(session: Session, asked: readonly Asked[]): Promise<Rows> {
  const locations = [...new Map(asked.flat().map((location) => [idOf(location), location] as const)).values()];
  const [first] = locations;
  if (first === undefined) return new Map();
  if (locations.length === 1) return byUser(await session.execute(statementAt(first.tables.select, first)));
  try {
    return byUser(await session.execute(someOf(first, locations.map(idOf))));
  } catch (error) {
    if (!mayBeTooMuch(error)) throw error;
    const middle = locations.length >> 1;
    const half = await rowsOf(session, [locations.slice(0, middle)]);
    return new Map([...half, ...await rowsOf(session, [locations.slice(middle)])]);
  }
}

function byUser(rows: readonly Row[]): Rows {
  return new Map(rows.map((row) => [String(row["user_id"]), row]));
}

function someOf({ key }: UserRowLocation, some: readonly UserId[]): Statement {
  const { user_id: _, ...shared } = key;
  return { cql: selectSomeUsers, values: { ...shared, some } };
}

function idOf({ key }: UserRowLocation): UserId {
  return String(key["user_id"]);
}

export function profileOfRow(row: Row | undefined): Profile | undefined {
  const text = row && textOfBody(row["body"]);
  return text === undefined ? undefined : profileFromRow(text);
}

async function userOfRow(session: Session, workspaceId: string, row: Row | undefined): Promise<StoredUser> {
  if (row === undefined) return { profile: undefined, row: "", blocked: false, openMerges: [] };
  const text = textOfBody(row["body"]);
  const mark = markOf(row);
  return {
    profile: text === undefined ? undefined : profileFromRow(text),
    row: text ?? "",
    blocked: row["held_reason"] !== null,
    openMerges: await stillOpen(session, workspaceId, row["open_merges"]),
    ...(mark && { mark }),
  };
}

/** Absent in a row that only marks the user as held. */
export function markOf(row: Row): RecordId | undefined {
  return row["mark_sequence"] === null ? undefined : [Number(row["mark_sequence"]), Number(row["mark_part"])];
}

/** Copies end by themselves without a change of the row, so the store is asked which of its merges still have theirs. */
async function stillOpen(session: Session, workspaceId: string, listed: unknown): Promise<string[]> {
  const open: string[] = [];
  for (const mergeId of listed === null ? [] : (JSON.parse(String(listed)) as string[])) {
    if (await readUndoUntil(session, workspaceId, mergeId) !== undefined) open.push(mergeId);
  }
  return open;
}

/** The end of the undo window of a merge whose copies are kept. */
export async function readUndoUntil(session: Session, workspaceId: string, mergeId: string): Promise<number | undefined> {
  const [row] = await session.execute(ofMerge(selectUndoUntil, workspaceId, mergeId));
  return row === undefined || row["undo_until"] === null ? undefined : Number(row["undo_until"]);
}

async function readFrozen(session: Session, workspaceId: string, mergeId: string): Promise<FrozenMerge | undefined> {
  const [row] = await session.execute(ofMerge(selectFrozen, workspaceId, mergeId));
  if (row === undefined || row["source"] === null || row["target_before"] === null) return undefined;
  const journal = await readAll(session, ofMerge(selectJournal, workspaceId, mergeId), limits.cassandraPageRows);
  return {
    source: profileFromBlob(row["source"]),
    targetBefore: profileFromBlob(row["target_before"]),
    journal: journal.map(recordOf),
    undoUntil: Number(row["undo_until"]),
  };
}

async function readBlocked(session: Session, user: UserRowLocation, max = noLimit): Promise<BlockedUser | undefined> {
  const [row] = await session.execute(statementAt(user.tables.select, user));
  if (row === undefined || row["held_reason"] === null) return undefined;
  const select = statementAt(user.tables.selectHeldRecords, user, { max });
  const records = await readAll(session, select, Math.min(max, limits.cassandraPageRows));
  return { reason: String(row["held_reason"]), records: records.map(recordOf) };
}

/** As Cassandra has it. */
export const noLimit = 2 ** 31 - 1;

function recordOf(row: Row): ProfileRecord {
  return JSON.parse(String(row["body"])) as ProfileRecord;
}

/** A statement about one merge. */
export function ofMerge(cql: string, workspaceId: string, mergeId: string): Statement {
  return { cql, values: { workspace_id: workspaceId, merge_id: mergeId } };
}
