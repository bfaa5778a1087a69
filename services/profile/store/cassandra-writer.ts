/** Profiles written to Cassandra: everything with the mark of its record as age, a user's partition in one write. */
import type { RecordId } from "../../../platform/age.ts";
import { intoBatches, sizeOf, write } from "../../../platform/cassandra/batches.ts";
import { bucketOf as listOf } from "../../../platform/cassandra/buckets.ts";
import { gather } from "../../../platform/cassandra/gather.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import type { Session, Statement } from "../../../platform/cassandra/session.ts";
import { createGate } from "../../../platform/gate.ts";
import { limits } from "../../../platform/limits.ts";
import type { FrozenMerge, Handoff, ProfileWriter, UserChanges } from "../domain/ports.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import { ofMerge, readUndoUntil } from "./cassandra-profiles.ts";
import { rejectedWrites } from "./cassandra-rejected.ts";
import { type UserWrites, userWrites } from "./cassandra-user-row.ts";
import { forEver, frozenToValues, profileFromBlob, profileToBlob, secondsUntil, stampOf } from "./cassandra-values.ts";
import {
  deleteBlockedUser,
  deleteFrozen,
  deleteHandoff,
  deleteJournal,
  putBlockedUser,
  putBucket,
  putFrozen,
  putHandoff,
  putJournal,
  putUserId,
  selectHandoff,
} from "./statements.ts";
import { type BucketOf, locationOf } from "./user-row-location.ts";

/**
 * Rows of other partitions are written before those of the users: lists may name a user who is not there yet, but
 * no user is there and not listed, and no record is in a profile and missing in a journal. So who is free again leaves its list
 * behind its row.
 */
export function cassandraProfileWriter({ session, now, bucketOf }: WriteDeps): ProfileWriter {
  const sizes = { sizeMax: limits.cassandraBatchBytesAim, atOnceMax: limits.callsOfBucketAtOnceMax };
  const together = gather<readonly Statement[], void>((items) => write(session, items.flat()), sizes);
  const gate = createGate(limits.cassandraLanesInFlightMax);
  /** Buckets whose row is there for certain. */
  const known = new Set<string>();
  async function run(writes: readonly (readonly Statement[])[]): Promise<void> {
    await inFlight(writes, limits.cassandraInFlightMax, (statements) => write(session, statements));
  }
  return {
    async save(changes) {
      const rows = new Map<Profile, string>();
      const users = userWrites(changes, rows, bucketOf);
      const buckets = newBuckets(changes, { known, bucketOf });
      await run([
        ...buckets.values(),
        ...listed(changes, bucketOf),
        ...rejectedWrites(changes),
        ...handedOff(changes),
        ...frozen(changes, now()),
      ]);
      await run(await journaled({ session, now: now() }, changes));
      for (const bucket of buckets.keys()) known.add(bucket);
      await inFlight(gathered(users), limits.cassandraInFlightMax, async ({ partition, writes }) => {
        for (const statements of writes) await gate.run(() => together.call(partition, statements, sizeOf(statements)));
      });
      await run(freed(changes));
      return { rows };
    },
    async forgetMerges(workspaceId, mergeIds) {
      const all = [deleteFrozen, deleteJournal, deleteHandoff];
      await run(mergeIds.map((id) => all.map((cql) => writeOf(cql, [workspaceId, id], { stamp: forEver }))));
    },
    async forgetHandoffs(workspaceId, mergeIds) {
      await run(mergeIds.map((id) => [writeOf(deleteHandoff, [workspaceId, id], { stamp: forEver })]));
    },
    async loadHandoffs(workspaceId, mergeIds) {
      const found = await inFlight(mergeIds, limits.cassandraInFlightMax, async (id) => {
        const [row] = await session.execute(ofMerge(selectHandoff, workspaceId, id));
        if (row === undefined || row["source"] === null) return [];
        return [[id, { source: profileFromBlob(row["source"]), undoUntil: Number(row["undo_until"]) }] as [string, Handoff]];
      });
      return new Map(found.flat());
    },
  };
}

interface WriteDeps {
  readonly session: Session;
  readonly now: () => number;
  readonly bucketOf: BucketOf;
}

interface PartitionWrites {
  readonly partition: string;
  /** One after the other. */
  readonly writes: readonly (readonly Statement[])[];
}

/** What goes into one partition in one write is one entry. */
function gathered(users: readonly UserWrites[]): PartitionWrites[] {
  const [single, several] = [users.filter(({ writes }) => writes.length === 1), users.filter(({ writes }) => writes.length > 1)];
  const batches = intoBatches(single.map(({ user: { partition }, writes: [statements = []] }) => ({ partition, statements })));
  return [
    ...batches.map(({ partition, statements }) => ({ partition, writes: [statements] })),
    ...several.map(({ user: { partition }, writes }) => ({ partition, writes })),
  ];
}

/** By partition: buckets that get a first user, as far as this process knows. */
function newBuckets(
  { workspaceId, users }: UserChanges,
  { known, bucketOf }: { readonly known: ReadonlySet<string>; readonly bucketOf: BucketOf },
): Map<string, Statement[]> {
  const found = new Map<string, Statement[]>();
  for (const [id, { isNew, mark }] of users) {
    if (!isNew) continue;
    const { bucket, partition } = locationOf(workspaceId, id, bucketOf);
    if (bucket === undefined || known.has(partition) || found.has(partition)) continue;
    found.set(partition, [{ cql: putBucket, values: { workspace_id: workspaceId, bucket, stamp: stampOf(mark) } }]);
  }
  return found;
}

/** New users who lie alone, and who began to be blocked. */
function listed({ workspaceId, users, blocked }: UserChanges, bucketOf: BucketOf): Statement[][] {
  const alone = [...users].filter(([id, { isNew }]) => isNew && locationOf(workspaceId, id, bucketOf).bucket === undefined);
  const entries = alone.map(([id, { mark }]) => [listEntry(putUserId, [workspaceId, id], mark)]);
  const waiting = [...blocked].flatMap(([id, state]) =>
    state === null ? [] : [[listEntry(putBlockedUser, [workspaceId, id], state.since)]]
  );
  return [...entries, ...waiting];
}

/** Who ceased to be blocked. */
function freed({ workspaceId, users, blocked }: UserChanges): Statement[][] {
  const ended = [...blocked].filter(([, state]) => state === null);
  return ended.map(([id]) => [listEntry(deleteBlockedUser, [workspaceId, id], markOf(users, id))]);
}

/** An entry of a list over many users, or its end, with the mark of what brought it as age. */
export function listEntry(cql: string, [workspaceId, id]: readonly [string, string], mark: RecordId): Statement {
  return { cql, values: { workspace_id: workspaceId, bucket: listOf(id), user_id: id, stamp: stampOf(mark) } };
}

function markOf(users: UserChanges["users"], id: string): RecordId {
  const state = users.get(id);
  if (state === undefined) throw new Error(`Expected the state of user "${id}", who is free again, got none`);
  return state.mark;
}

function handedOff({ workspaceId, handoffs }: UserChanges): Statement[][] {
  return Array.from(handoffs, ([id, { source, undoUntil }]) => {
    const values = { source: profileToBlob(source).blob, undo_until: BigInt(undoUntil), stamp: stampOf(source.mark) };
    return [writeOf(putHandoff, [workspaceId, id], values)];
  });
}

/** A merge of a backup comes with its journal, which may be larger than a write. */
function frozen({ workspaceId, frozen }: UserChanges, now: number): (readonly Statement[])[] {
  return [...frozen].flatMap(([id, merge]) => {
    const ttl = secondsUntil(merge.undoUntil, now);
    const copies = writeOf(putFrozen, [workspaceId, id], { ...frozenToValues(merge), stamp: stampOf(merge.targetBefore.mark), ttl });
    const rows = journalRows({ workspaceId, id, ttl }, merge.journal).map((row) => ({ partition: id, statements: [row] }));
    return [[copies], ...intoBatches(rows).map(({ statements }) => statements)];
  });
}

/** A merge whose copies are gone takes no more: the applier that journals may not know of that yet. */
async function journaled({ session, now }: { session: Session; now: number }, changes: UserChanges): Promise<Statement[][]> {
  const writes = await inFlight([...changes.journal], limits.cassandraInFlightMax, async ([id, records]) => {
    const begun: FrozenMerge | undefined = changes.frozen.get(id);
    const undoUntil = begun?.undoUntil ?? await readUndoUntil(session, changes.workspaceId, id);
    if (undoUntil === undefined) return [];
    return journalRows({ workspaceId: changes.workspaceId, id, ttl: secondsUntil(undoUntil, now) }, records).map((row) => [row]);
  });
  return writes.flat();
}

function journalRows(
  { workspaceId, id, ttl }: { workspaceId: string; id: string; ttl: number },
  records: readonly ProfileRecord[],
): Statement[] {
  return records.map((record) => {
    const [sequence, part] = record.mark;
    const values = { sequence: BigInt(sequence), part, body: JSON.stringify(record), stamp: stampOf(record.mark), ttl };
    return writeOf(putJournal, [workspaceId, id], values);
  });
}

function writeOf(cql: string, [workspaceId, mergeId]: readonly [string, string], values: Statement["values"]): Statement {
  return { cql, values: { workspace_id: workspaceId, merge_id: mergeId, ...values } };
}
