/** Who is rejected, in one small partition. A row may be outdated: the mark of the user's own row shows it. */
import { inFlight } from "../../../platform/in-flight.ts";
import { readAll, type Row, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import type { ProfileStore, RejectedUser, UserChanges } from "../domain/ports.ts";
import { markOf } from "./cassandra-profiles.ts";
import { stampOf } from "./cassandra-values.ts";
import { rejectedFromRow, rejectedToRow } from "./rejected-rows.ts";
import { deleteRejectedUser, putRejectedUser, selectRejectedUser, selectRejectedUsers } from "./statements.ts";
import { type BucketOf, locationOf, statementAt } from "./user-row-location.ts";

/** Written before the users' own rows, so that a row that is there and rejected is listed. */
export function rejectedWrites({ workspaceId, users }: UserChanges): Statement[][] {
  return Array.from(users, ([id, { profile, mark }]) => {
    const body = profile === null ? undefined : rejectedToRow(profile);
    if (body === undefined) return [];
    const [sequence, part] = mark;
    const values = { mark_sequence: BigInt(sequence), mark_part: part, body, stamp: stampOf(mark) };
    return [{ cql: putRejectedUser, values: { ...keyOf(workspaceId, id), ...values } }];
  }).filter((statements) => statements.length > 0);
}

export function cassandraRejected(session: Session, bucketOf: BucketOf): Pick<ProfileStore, "listRejected"> {
  return {
    async listRejected(max) {
      const rows = await readAll(
        session,
        { cql: selectRejectedUsers, values: { bucket, max } },
        limits.cassandraPageRows,
      );
      return (await inFlight(rows, limits.cassandraInFlightMax, (row) => ifTrue(session, row, bucketOf))).flat();
    },
  };
}

/** A row whose user went on without it is taken out, with its own age: a newer one stays. */
async function ifTrue(session: Session, row: Row, bucketOf: BucketOf): Promise<RejectedUser[]> {
  const user = { workspace_id: String(row["workspace_id"]), user_id: String(row["user_id"]) };
  const listed = markOf(row);
  const location = locationOf(user.workspace_id, user.user_id, bucketOf);
  const [own] = await session.execute(statementAt(location.tables.selectMark, location));
  const written = own === undefined ? undefined : markOf(own);
  if (listed === undefined || (written !== undefined && stampOf(written) > stampOf(listed))) {
    const [again] = await session.execute({ cql: selectRejectedUser, values: { bucket, ...user } });
    const later = again === undefined ? undefined : markOf(again);
    // It was written while the list was read
    if (later !== undefined && listed !== undefined && stampOf(later) > stampOf(listed)) return [userOf(again ?? row)];
    const stamp = stampOf(listed ?? [0, 0]);
    await session.execute({ cql: deleteRejectedUser, values: { bucket, ...user, stamp } });
    return [];
  }
  return [userOf(row)];
}

function userOf(row: Row): RejectedUser {
  return rejectedFromRow(String(row["workspace_id"]), String(row["user_id"]), row["body"]);
}

function keyOf(workspaceId: string, id: string) {
  return { bucket, workspace_id: workspaceId, user_id: id };
}

const bucket = 0;
