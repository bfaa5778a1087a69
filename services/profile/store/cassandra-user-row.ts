/** The writes to one user's partition: the state, and the records that wait. */
import type { Statement } from "../../../platform/cassandra/session.ts";
import { limits } from "../../../platform/limits.ts";
import { slicesBySize } from "../../../platform/slices-by-size.ts";
import type { BlockedState, UserChanges, UserState } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import { profileToBlob, stampOf } from "./cassandra-values.ts";
import { type BucketOf, locationOf, statementAt, type UserRowLocation } from "./user-row-location.ts";

export interface UserWrites {
  readonly user: UserRowLocation;
  /** To be done one after the other. */
  readonly writes: readonly (readonly Statement[])[];
}

/**
 * The writes of each user, to be done one after the other: mostly one, of all its statements. What was held up to the
 * state's mark goes: everything held carries its own mark as age, so a deletion of that age takes exactly what is in the state.
 */
export function userWrites(changes: UserChanges, rows: Map<Profile, string>, bucketOf: BucketOf): UserWrites[] {
  const ids = new Set([...changes.users.keys(), ...changes.blocked.keys()]);
  return [...ids].map((id) => {
    const user = locationOf(changes.workspaceId, id, bucketOf);
    const state = changes.users.get(id);
    const blocked = changes.blocked.get(id);
    const writes = inWrites((blocked?.records ?? []).map((record) => blockedRecord(user, record)), [
      ...(state === undefined ? [] : [stateOf(user, state, rows)]),
      ...(blocked === undefined ? [] : holding(user, state, blocked)),
    ]);
    return { user, writes };
  });
}

function stateOf(user: UserRowLocation, { profile, mark, openMerges }: UserState, rows: Map<Profile, string>): Statement {
  const row = profile === null ? undefined : profileToBlob(profile);
  if (profile !== null && row !== undefined) rows.set(profile, row.text);
  const [sequence, part] = mark;
  const values = {
    // An empty body would outlast gc_grace_seconds, as null does not: for when no build runs that cannot read it
    body: row?.blob ?? null,
    mark_sequence: BigInt(sequence),
    mark_part: part,
    open_merges: JSON.stringify(openMerges),
    stamp: stampOf(mark),
  };
  return statementAt(user.tables.put, user, values);
}

function holding(user: UserRowLocation, state: UserState | undefined, blocked: BlockedState | null): Statement[] {
  const letGo = state === undefined ? [] : [statementAt(user.tables.deleteHeldRecords, user, { stamp: stampOf(state.mark) })];
  if (blocked !== null) {
    return [...letGo, statementAt(user.tables.putHeldReason, user, { held_reason: blocked.reason, stamp: stampOf(blocked.since) })];
  }
  if (state === undefined) throw new Error(`Expected the state of user "${String(user.key["user_id"])}", who is free again, got none`);
  return [...letGo, statementAt(user.tables.deleteHeldReason, user, { stamp: stampOf(state.mark) })];
}

function blockedRecord(user: UserRowLocation, record: ProfileRecord): Statement {
  const [sequence, part] = record.mark;
  return statementAt(user.tables.putHeldRecord, user, {
    sequence: BigInt(sequence),
    part,
    body: JSON.stringify(record),
    stamp: stampOf(record.mark),
  });
}

/** Records that wait may be many: those that do not fit go first, where no reader sees them until the user is blocked. */
function inWrites(records: readonly Statement[], rest: readonly Statement[]): Statement[][] {
  const writes = slicesBySize(records, ({ values }) => String(values["body"]).length, { bytesMax: limits.cassandraBatchBytesMax });
  const last = writes.pop() ?? [];
  return [...writes, [...last, ...rest]].filter((write) => write.length > 0);
}
