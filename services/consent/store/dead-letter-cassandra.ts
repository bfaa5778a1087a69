/** Lane records that wait for a human, in the tables of the service whose lane it is. */
import { recordIdOf } from "../../../platform/age.ts";
import { allBuckets, bucketOf } from "../../../platform/cassandra/buckets.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import type { Session, Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import { type DeadLetterId, isToWait, keysOf, type Waiting } from "../../../platform/lane/hold-back.ts";
import type { DeadLetter, LaneRecord } from "../../../platform/lane/lane.ts";
import { deadLetterFromRow } from "./dead-letter-row.ts";
import { stampAfter, stampOf } from "./stamp.ts";

/**
 * Keeps the record; keeping it again changes nothing but that a reason of its own takes the place of waiting for another one: all are of
 * one age, at which Cassandra keeps the greater text, and nothing that can be read begins with less than a blank.
 */
export function deadLetterOf(letter: DeadLetter): Statement {
  const { record } = letter;
  const { body } = record;
  const reason = isToWait(letter) ? ` ${letter.reason}` : letter.reason;
  return {
    cql: deadLetterStatements.put,
    values: { ...keyOf(record), reason, body, stamp: stampOf({ mark: recordIdOf(record) }) },
  };
}

/** The record waits no more. */
export function forgetDeadLetterOf(record: LaneRecord): Statement {
  const stamp = stampAfter({ mark: recordIdOf(record) });
  return { cql: deadLetterStatements.delete, values: { ...keyOf(record), stamp } };
}

/** At most `max`, by bucket, workspace and place, behind `after`. */
export async function deadLetterList(session: Session, max: number, after?: DeadLetterId): Promise<DeadLetter[]> {
  const from = after === undefined ? -1 : bucketOf(after.workspaceId);
  const whole = allBuckets.filter((bucket) => bucket > from).map((bucket) => ({
    cql: deadLetterStatements.select,
    values: { bucket, max },
  }));
  if (after === undefined) return await inOrder(session, whole, max);
  const otherWorkspaces = { cql: deadLetterStatements.selectWorkspaces, values: { bucket: from, workspace_id: after.workspaceId, max } };
  return await inOrder(session, [...inWorkspace(after, max), otherWorkspaces, ...whole], max);
}

/** Of one workspace, by place, behind `after`, at most `max`. */
export async function deadLettersIn(
  session: Session,
  { workspaceId, after }: { readonly workspaceId: string; readonly after: DeadLetterId | undefined },
  max: number,
): Promise<DeadLetter[]> {
  return await inOrder(session, inWorkspace(after ?? { workspaceId, sequence: -1, part: 0 }, max), max);
}

/** The rest of the workspace of a place. */
function inWorkspace({ workspaceId, sequence, part }: DeadLetterId, max: number): Statement[] {
  const values = { bucket: bucketOf(workspaceId), workspace_id: workspaceId, sequence: BigInt(sequence), max };
  return [{ cql: deadLetterStatements.selectParts, values: { ...values, part } }, { cql: deadLetterStatements.selectSequences, values }];
}

async function inOrder(session: Session, reads: readonly Statement[], max: number): Promise<DeadLetter[]> {
  const rows = await inFlight(reads, limits.cassandraInFlightMax, (read) => session.execute(read));
  return rows.flat().slice(0, max).map((row) => deadLetterFromRow({ ...row, reason: String(row["reason"]).trimStart() }));
}

/** What waits of one workspace. */
export async function waitingIn(session: Session, workspaceId: string): Promise<Waiting[]> {
  const values = { bucket: bucketOf(workspaceId), workspace_id: workspaceId };
  const rows = await session.execute({ cql: deadLetterStatements.selectPlaces, values });
  return rows.map((row) => ({ mark: [Number(row["sequence"]), Number(row["part"])], keys: keysOf(String(row["lane_key"])) }));
}

function keyOf({ workspaceId, sequence, part, key }: LaneRecord): Statement["values"] {
  return { bucket: bucketOf(workspaceId), workspace_id: workspaceId, sequence: BigInt(sequence), part, lane_key: key };
}

/** The table is part of each service's own schema. */
export const deadLetterStatements = {
  put: `INSERT INTO set_aside_by_bucket (bucket, workspace_id, sequence, part, lane_key, reason, body)
    VALUES (:bucket, :workspace_id, :sequence, :part, :lane_key, :reason, :body) USING TIMESTAMP :stamp`,
  delete: `DELETE FROM set_aside_by_bucket USING TIMESTAMP :stamp
    WHERE bucket = :bucket AND workspace_id = :workspace_id AND sequence = :sequence AND part = :part AND lane_key = :lane_key`,
  select: "SELECT workspace_id, sequence, part, lane_key, reason, body FROM set_aside_by_bucket WHERE bucket = :bucket LIMIT :max",
  selectParts: `SELECT workspace_id, sequence, part, lane_key, reason, body FROM set_aside_by_bucket
    WHERE bucket = :bucket AND workspace_id = :workspace_id AND sequence = :sequence AND part > :part LIMIT :max`,
  selectSequences: `SELECT workspace_id, sequence, part, lane_key, reason, body FROM set_aside_by_bucket
    WHERE bucket = :bucket AND workspace_id = :workspace_id AND sequence > :sequence LIMIT :max`,
  selectWorkspaces: `SELECT workspace_id, sequence, part, lane_key, reason, body FROM set_aside_by_bucket
    WHERE bucket = :bucket AND workspace_id > :workspace_id LIMIT :max`,
  selectPlaces: "SELECT sequence, part, lane_key FROM set_aside_by_bucket WHERE bucket = :bucket AND workspace_id = :workspace_id",
} as const;
