/**
 * The mesh's store of the subscription service. A user's row and its ledger entries lie in one partition and are one
 * write, with the mark of the last record as its age: repeating a step, or a late writer, changes nothing.
 */
import { bucketOf } from "../../../platform/cassandra/buckets.ts";
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import { forgetSetAsideOf, setAsideIn, setAsideList, setAsideOf, waitingIn } from "../../../platform/lane/set-aside-cassandra.ts";
import type { LaneRecord, SetAside } from "../../../platform/lane/lane.ts";
import { markOf } from "../../../platform/lane/mark.ts";
import { stampAfter, stampOf } from "../../../platform/lane/stamp.ts";
import { cassandraLedger, entriesSince, eraseEntriesOf, listSubjectOf, putEntryOf } from "../../../platform/ledger/cassandra.ts";
import type { ChainHead, LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import type { UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";
import { cassandraGroups, type GroupRows } from "./cassandra-groups.ts";
import { membershipsFromJson, membershipsToRow } from "./rows.ts";
import { deleteOpenMerge, putOpenMerge, putUser, selectOpenMerges, selectUsers } from "./statements.ts";
import type { LoadedUsers, StepRows, SubscriptionTables } from "./tables.ts";

/** The tables must be there (`schema/`, brought by migrate). The session stays the caller's. */
export function openCassandraSubscriptionStore(session: Session): SubscriptionTables & RepeatedEntries & GroupRows {
  function loadForStep(workspaceId: string, ids: readonly UserId[]): Promise<LoadedUsers> {
    return loadUsers(session, workspaceId, ids);
  }
  const groups = cassandraGroups(session);
  const store: MembershipStore = {
    load: async (workspaceId, ids) => (await loadForStep(workspaceId, ids)).users,
    sweep: (now, max, change) => sweep(session, { now, max }, change),
    groups: async (workspaceId) => (await groups.readGroups(workspaceId)).groups,
  };
  async function heads(workspaceId: string, subjects: readonly string[]): Promise<Map<string, ChainHead>> {
    const { ends } = await loadForStep(workspaceId, subjects);
    return new Map(subjects.map((subject) => [subject, ends.get(subject) ?? noEntries]));
  }
  return {
    store,
    ...groups,
    loadForStep,
    ...cassandraLedger({ session, heads }),
    commit: (step) => commit(session, step),
    listSetAside: (max) => setAsideList(session, max),
    waiting: (workspaceId) => waitingIn(session, workspaceId),
    setAsideOf: (workspaceId, max) => setAsideIn(session, workspaceId, max),
    forgetSetAside: async (records) => {
      await inFlight(records, limits.consentWritesInFlightMax, (record) => session.execute(forgetSetAsideOf(record)));
    },
    entriesSince: async (workspaceId, subjects, sequence) =>
      entriesSince(session, workspaceId, { heads: await heads(workspaceId, subjects), sequence }),
  };
}

export interface RepeatedEntries {
  /** The records wait no more. */
  forgetSetAside(records: readonly LaneRecord[]): Promise<void>;
  /** What waits of a workspace, in order, at most `max`. */
  setAsideOf(workspaceId: string, max: number): Promise<SetAside[]>;
  /** Entries of these subjects whose cause lies at `sequence` or later. */
  entriesSince(workspaceId: string, subjects: readonly string[], sequence: number): Promise<LedgerEntry[]>;
}

const noEntries: ChainHead = { count: 0, hash: "" };

/** A statement reads up to `cassandraPartitionsPerRead` users (docs/decisions/0024-reads-of-named-partitions.md). */
async function loadUsers(session: Session, workspaceId: string, ids: readonly UserId[]): Promise<LoadedUsers> {
  const wanted = [...new Set(ids)];
  const size = limits.cassandraPartitionsPerRead;
  const parts = Array.from({ length: Math.ceil(wanted.length / size) }, (_, at) => wanted.slice(at * size, (at + 1) * size));
  const rows = await inFlight(parts, limits.cassandraInFlightMax, (some) => {
    return session.execute({ cql: selectUsers, values: { workspace_id: workspaceId, user_ids: some }, idempotent: true });
  });
  const loaded: LoadedUsers = { users: new Map(), ends: new Map() };
  for (const row of rows.flat()) addUser(loaded, row);
  return loaded;
}

function addUser({ users, ends }: LoadedUsers, row: Row): void {
  const [user, end] = JSON.parse(String(row["body"])) as [unknown, ChainHead];
  const userId = String(row["user_id"]);
  users.set(userId, membershipsFromJson(user));
  ends.set(userId, end);
}

/**
 * Lists come before the rows they lead to, and histories end before the row that says so: what is stopped half way is done
 * again by whoever applies the records next.
 */
async function commit(session: Session, { workspaces, setAside }: StepRows): Promise<void> {
  async function run(writes: readonly (readonly Statement[])[]): Promise<void> {
    await inFlight(writes, limits.consentWritesInFlightMax, (batch) => write(session, batch));
  }
  for (const workspace of workspaces) {
    const { workspaceId, users, erased, first = new Set() } = workspace;
    await run([...listed(workspace), ...merging(workspaceId, users), ...erasing(workspaceId, { erased })]);
    await run(rowsOf(workspace, (userId) => first.has(userId)));
    await run(rowsOf(workspace, (userId) => !first.has(userId)));
  }
  await run(setAside.map((row) => [setAsideOf(row)]));
}

type Workspace = StepRows["workspaces"][number];

async function write(session: Session, statements: readonly Statement[]): Promise<void> {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) await session.execute(only);
  else if (only !== undefined) await session.batch(statements);
}

function listed({ workspaceId, entries, erased }: Workspace): Statement[][] {
  const begun = entries.filter(({ index }) => index === 0);
  const ended = Array.from(erased, ([subject, mark]) => [listSubjectOf(workspaceId, subject, { stamp: stampOf({ mark }), gone: true })]);
  const added = begun.map((entry) => [
    listSubjectOf(workspaceId, entry.subject, { stamp: stampOf({ mark: markOf(entry) }), gone: false }),
  ]);
  return [...added, ...ended];
}

function merging(workspaceId: string, users: Workspace["users"]): Statement[][] {
  return [...users.values()].filter(({ merges }) => merges.length > 0).map((user) => [{
    cql: putOpenMerge,
    values: { ...openMergeOf(workspaceId, user.userId, firstWindow(user)), stamp: stampOf(user) },
    idempotent: true,
  }]);
}

function openMergeOf(workspaceId: string, userId: UserId, undoUntil: number): Statement["values"] {
  return { bucket: bucketOf(userId), undo_until: BigInt(undoUntil), workspace_id: workspaceId, user_id: userId };
}

function firstWindow({ merges }: UserMemberships): number {
  return Math.min(...merges.map(({ undoUntil }) => undoUntil));
}

/** Their rows stay, and say nothing but how far their records are in. */
function erasing(workspaceId: string, { erased }: Pick<Workspace, "erased">): Statement[][] {
  return Array.from(erased, ([subject, mark]) => [eraseEntriesOf(workspaceId, subject, stampOf({ mark }))]);
}

function rowsOf({ workspaceId, users, entries, ends }: Workspace, isMeant: (userId: UserId) => boolean): Statement[][] {
  const byUser = Map.groupBy(entries, ({ subject }) => subject);
  return [...users.values()].filter(({ userId }) => isMeant(userId)).map((user) => {
    const end = ends.get(user.userId) ?? noEntries;
    const row = rowOf(workspaceId, { user, end }, stampOf(user));
    const added = byUser.get(user.userId) ?? [];
    return [row, ...added.map((entry) => putEntryOf(workspaceId, entry, stampOf({ mark: markOf(entry) })))];
  });
}

function rowOf(workspaceId: string, { user, end }: { user: UserMemberships; end: ChainHead }, stamp: bigint): Statement {
  const body = `[${membershipsToRow(user)},${JSON.stringify(end)}]`;
  return { cql: putUser, values: { workspace_id: workspaceId, user_id: user.userId, body, stamp }, idempotent: true };
}

/** A row that an applier writes meanwhile is newer than what a sweep writes, and its windows are closed by that already. */
async function sweep(
  session: Session,
  { now, max }: { readonly now: number; readonly max: number },
  change: (user: UserMemberships) => void,
): Promise<number> {
  let swept = 0;
  for (let bucket = 0; bucket < limits.cassandraBuckets && swept < max; bucket += 1) {
    const values = { bucket, until: BigInt(now), max: max - swept };
    for (const row of await session.execute({ cql: selectOpenMerges, values, idempotent: true })) {
      if (await sweepOne(session, row, { now, change })) swept += 1;
    }
  }
  return swept;
}

async function sweepOne(
  session: Session,
  row: Row,
  { now, change }: { readonly now: number; readonly change: (user: UserMemberships) => void },
): Promise<boolean> {
  const [workspaceId, userId] = [String(row["workspace_id"]), String(row["user_id"])];
  const { users, ends } = await loadUsers(session, workspaceId, [userId]);
  const user = users.get(userId);
  const listedUntil = Number(row["undo_until"]);
  const isOver = user !== undefined && user.merges.length > 0 && firstWindow(user) < now;
  if (user !== undefined && isOver) {
    change(user);
    const stamp = stampAfter(user);
    if (user.merges.length > 0) {
      const values = { ...openMergeOf(workspaceId, userId, firstWindow(user)), stamp };
      await session.execute({ cql: putOpenMerge, values, idempotent: true });
    }
    await session.execute(rowOf(workspaceId, { user, end: ends.get(userId) ?? noEntries }, stamp));
  }
  const stamp = stampAfter(user ?? { mark: [0, 0] });
  await session.execute({ cql: deleteOpenMerge, values: { ...openMergeOf(workspaceId, userId, listedUntil), stamp }, idempotent: true });
  return isOver;
}
