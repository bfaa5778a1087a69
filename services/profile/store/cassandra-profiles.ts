/** Profiles read back from Cassandra: one row a user, and what lies in partitions of its own. */
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import { readAll, type Row, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { FrozenMerge, HeldUser, ProfileStore, StoredUser } from "../domain/ports.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { UserId } from "../domain/user-key.ts";
import { profileFromBlob, textOfBlob } from "./cassandra-values.ts";
import { profileFromRow } from "./rows.ts";
import { selectFrozen, selectHeldRecords, selectJournal, selectUndoUntil, selectUser } from "./statements.ts";

export type ProfileReads = Pick<ProfileStore, "load" | "loadFrozen" | "loadHeld" | "loadUsers">;

export function cassandraProfileReads(session: Session): ProfileReads {
  /** Those of the ids that `read` finds something for. */
  async function found<Thing>(ids: readonly string[], read: (id: string) => Promise<Thing | undefined>): Promise<Map<string, Thing>> {
    const things = await inFlight(ids, limits.cassandraInFlightMax, read);
    return new Map(ids.flatMap((id, at) => {
      const thing = things[at];
      return thing === undefined ? [] : [[id, thing] as const];
    }));
  }
  return {
    load: (workspaceId, ids) => found(ids, async (id) => (await readUser(session, workspaceId, id)).profile),
    loadUsers: (workspaceId, ids) => found(ids, (id) => readUser(session, workspaceId, id)),
    loadFrozen: (workspaceId, mergeIds) => found(mergeIds, (id) => readFrozen(session, workspaceId, id)),
    loadHeld: (workspaceId, ids) => found(ids, (id) => readHeld(session, workspaceId, id)),
  };
}

async function readUser(session: Session, workspaceId: string, id: UserId): Promise<StoredUser> {
  const [row] = await session.execute(ofUser(selectUser, workspaceId, id));
  if (row === undefined) return { profile: undefined, rowChars: 0, held: false, openMerges: [] };
  const text = row["body"] === null ? undefined : textOfBlob(row["body"]);
  const mark = row["mark_sequence"] === null ? undefined : [Number(row["mark_sequence"]), Number(row["mark_part"])] as const;
  return {
    profile: text === undefined ? undefined : profileFromRow(text),
    rowChars: text?.length ?? 0,
    held: row["held_reason"] !== null,
    openMerges: await stillOpen(session, workspaceId, row["open_merges"]),
    ...(mark && { mark }),
  };
}

/** The row is not told when copies end by themselves, so it is asked which of its merges still have theirs. */
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

async function readHeld(session: Session, workspaceId: string, id: UserId): Promise<HeldUser | undefined> {
  const [row] = await session.execute(ofUser(selectUser, workspaceId, id));
  if (row === undefined || row["held_reason"] === null) return undefined;
  const records = await readAll(session, ofUser(selectHeldRecords, workspaceId, id), limits.cassandraPageRows);
  return { reason: String(row["held_reason"]), records: records.map(recordOf) };
}

function recordOf(row: Row): ProfileRecord {
  return JSON.parse(String(row["body"])) as ProfileRecord;
}

function ofUser(cql: string, workspaceId: string, id: UserId): Statement {
  return { cql, values: { workspace_id: workspaceId, user_id: id }, idempotent: true };
}

/** A statement about one merge. */
export function ofMerge(cql: string, workspaceId: string, mergeId: string): Statement {
  return { cql, values: { workspace_id: workspaceId, merge_id: mergeId }, idempotent: true };
}
