/** The mesh's store of the subscription service: memberships by user, merges that can be undone, and the groups. */
import { allBuckets, bucketOf } from "../../../platform/cassandra/buckets.ts";
import type { Keyspace } from "../../../platform/cassandra/keyspace.ts";
import { pagesOf, type Row, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { isPassing } from "../../../platform/faults/passing.ts";
import { stampAfter, stampOf } from "../../consent/store/stamp.ts";
import { openCassandraConsent, rowOf, type StateRows } from "../../consent/store/cassandra.ts";
import { locationOf, type StateBucketOf } from "../../consent/store/state-row-location.ts";
import { bucketOfMember } from "../../../platform/user-number.ts";
import type { UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore, Sweeping } from "../domain/ports.ts";
import { cassandraGroups, type GroupRows } from "./cassandra-groups.ts";
import { membershipsFromJson, membershipsToRow } from "./rows.ts";
import { deleteOpenMerge, memberColumns, putOpenMerge, selectOpenMerges } from "./statements.ts";
import type { StepRows, SubscriptionTables } from "./tables.ts";

/** The tables must be there (`schema/`, brought by migrate). The session stays the caller's. `bucketOf`: who lies together, as `membersBucketOf` gives it. */
export function openCassandraSubscriptionStore(session: Session, bucketOf: StateBucketOf): SubscriptionTables & GroupRows {
  const rows: StateRows<UserMemberships> = { ...memberRows, bucketOf };
  const tables = openCassandraConsent(session, rows);
  const groups = cassandraGroups(session);
  const store: MembershipStore = {
    load: async (workspaceId, ids) => (await tables.loadForStep(workspaceId, ids)).states,
    sweep: (over, sweeping) => sweep({ session, tables, rows, ...sweeping }, over),
    groups: async (workspaceId) => (await groups.readGroups(workspaceId)).groups,
  };
  return { ...tables, ...groups, store };
}

/** Keyspaces that were made before memberships lived together keep each user's by themselves; `sealedBy`: see Keyspace. */
export function membersBucketOf({ sealedBy }: Pick<Keyspace, "sealedBy">): StateBucketOf {
  return sealedBy >= bucketsSince ? bucketOfMember : () => undefined;
}

/** The version of the tables. */
const bucketsSince = 4;

const memberRows: Omit<StateRows<UserMemberships>, "bucketOf"> = {
  of: "memberships",
  ...memberColumns,
  toRow: membershipsToRow,
  fromRow: membershipsFromJson,
  listed: merging,
};

function merging({ workspaceId, states }: StepRows["workspaces"][number]): Statement[][] {
  return [...states.values()].filter(({ merges }) => merges.length > 0).map((user) => [{
    cql: putOpenMerge,
    values: { ...openMergeOf(workspaceId, user.userId, firstWindow(user)), stamp: stampOf(user) },
  }]);
}

function openMergeOf(workspaceId: string, userId: UserId, undoUntil: number): Statement["values"] {
  return { bucket: bucketOf(userId), undo_until: BigInt(undoUntil), workspace_id: workspaceId, user_id: userId };
}

function firstWindow({ merges }: UserMemberships): number {
  return Math.min(...merges.map(({ undoUntil }) => undoUntil));
}

interface SweptTables extends Sweeping {
  readonly session: Session;
  readonly tables: Pick<SubscriptionTables, "loadForStep">;
  readonly rows: StateRows<UserMemberships>;
}

/** A row that an applier writes meanwhile is newer than what a sweep writes, and its windows are closed by that already. */
async function sweep(sweeping: SweptTables, { now, max }: { readonly now: number; readonly max: number }): Promise<number> {
  let swept = 0;
  const failures: unknown[] = [];
  for await (const row of mergesOver(sweeping, { now, rowsMax: max })) {
    try {
      if (await sweepOne(sweeping, row, now)) swept += 1;
    } catch (error) {
      if (isPassing(error)) throw error;
      failures.push(error);
    }
    if (swept === max) break;
  }
  if (failures.length > 0) throw failures[0];
  return swept;
}

async function* mergesOver({ session }: SweptTables, { now, rowsMax }: { now: number; rowsMax: number }): AsyncGenerator<Row> {
  for (const bucket of allBuckets) {
    const over = { cql: selectOpenMerges, values: { bucket, until: BigInt(now) } };
    for await (const page of pagesOf(session, over, rowsMax)) yield* page;
  }
}

async function sweepOne({ session, tables, rows, isFree, change }: SweptTables, row: Row, now: number): Promise<boolean> {
  const [workspaceId, userId] = [String(row["workspace_id"]), String(row["user_id"])];
  const { states, ends } = await tables.loadForStep(workspaceId, [userId]);
  const user = states.get(userId);
  const listedUntil = Number(row["undo_until"]);
  const isOver = user !== undefined && user.merges.length > 0 && firstWindow(user) < now;
  if (isOver && !await isFree(workspaceId, userId)) return false;
  if (user !== undefined && isOver) {
    change(user);
    const stamp = stampAfter(user);
    if (user.merges.length > 0) {
      const values = { ...openMergeOf(workspaceId, userId, firstWindow(user)), stamp };
      await session.execute({ cql: putOpenMerge, values });
    }
    await session.execute(rowOf(rows, locationOf(rows, workspaceId, userId), { key: userId, state: user, end: ends.get(userId), stamp }));
  }
  const stamp = stampAfter(user ?? { mark: [0, 0] });
  await session.execute({ cql: deleteOpenMerge, values: { ...openMergeOf(workspaceId, userId, listedUntil), stamp } });
  return isOver;
}
