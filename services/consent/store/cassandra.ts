/**
 * The mesh's store of consent. A row and its ledger entries lie in one partition and are one write, with the mark of the last
 * record as its age: repeating a step, or a late writer, changes nothing.
 */
import { type Aged, recordIdOf } from "../../../platform/age.ts";
import { intoBatches, type PartitionWrite, write } from "../../../platform/cassandra/batches.ts";
import { inFlight } from "../../../platform/in-flight.ts";
import { type Row, scanTable, type Session, type Statement } from "../../../platform/cassandra/session.ts";
import { deadLetterList, deadLetterOf, deadLettersIn, forgetDeadLetterOf, waitingIn } from "./dead-letter-cassandra.ts";
import { stampOf } from "./stamp.ts";
import { cassandraLedger, entriesSince, eraseEntriesOf, listSubjectOf, putEntryOf } from "../../../platform/ledger/cassandra.ts";
import { type ChainHead, emptyChain } from "../../../platform/ledger/ledger.ts";
import { type ConsentMove, inWrites, withChains } from "../../../platform/ledger/moved.ts";
import type { Ledger } from "../../../platform/ledger/read.ts";
import { limits } from "../../../platform/limits.ts";
import type { LaneStep, Loaded, WorkspaceStep } from "../engine/plan-step.ts";
import { locationOf, type StateLayout, type StateRowLocation } from "./state-row-location.ts";
import { type ConsentTables, stepOfRows, waitingToMove } from "../engine/tables.ts";

/** How a service keeps its states. */
export interface StateRows<State extends Aged> extends StateLayout {
  /** As in "memberships". */
  readonly of: string;
  /** JSON text, and back from what it parses to. */
  toRow(state: State): string;
  fromRow(value: unknown): State;
  /** Lists that lead to rows: they come before those. */
  listed(step: WorkspaceStep<State>): Statement[][];
}

/** The tables must be there (`schema/`, brought by migrate). The session stays the caller's. */
export function openCassandraConsent<State extends Aged>(session: Session, rows: StateRows<State>): ConsentTables<State> {
  function loadForStep(workspaceId: string, keys: readonly string[]): Promise<Loaded<State>> {
    return loadStates({ session, rows }, workspaceId, keys);
  }
  async function heads(workspaceId: string, subjects: readonly string[]): Promise<Map<string, ChainHead>> {
    const { ends } = await loadForStep(workspaceId, subjects);
    return new Map(subjects.map((subject) => [subject, ends.get(subject) ?? emptyChain]));
  }
  const ledger = { session, heads, placeOf: (workspaceId: string, subject: string) => locationOf(rows, workspaceId, subject) };
  const reads = cassandraLedger(ledger);
  return {
    loadForStep,
    ...reads,
    move: moveOf({ session, rows }, reads),
    commit: (step) => commit({ session, rows }, step),
    listSetAside: (max, after) => deadLetterList(session, max, after),
    waiting: (workspaceId) => waitingIn(session, workspaceId),
    deadLettersOf: (workspaceId, max, after) => deadLettersIn(session, { workspaceId, after }, max),
    forgetSetAside: async (records) => {
      await inFlight(records, limits.consentWritesInFlightMax, (record) => session.execute(forgetDeadLetterOf(record)));
    },
    entriesSince: async (workspaceId, subjects, sequence) =>
      entriesSince(ledger, workspaceId, { heads: await heads(workspaceId, subjects), sequence }),
  };
}

interface Keeping<State extends Aged> {
  readonly session: Session;
  readonly rows: StateRows<State>;
}

async function loadStates<State extends Aged>(
  { session, rows }: Keeping<State>,
  workspaceId: string,
  keys: readonly string[],
): Promise<Loaded<State>> {
  const found = await inFlight(readsOf(rows, workspaceId, new Set(keys)), limits.cassandraInFlightMax, (read) => session.execute(read));
  const loaded: Loaded<State> = { states: new Map(), ends: new Map() };
  for (const row of found.flat()) {
    const key = String(row[rows.column]);
    const [state, end] = bodyOf(row);
    loaded.states.set(key, rows.fromRow(state));
    loaded.ends.set(key, end);
  }
  return loaded;
}

/**
 * A statement reads up to `cassandraPartitionsPerRead` rows (docs/decisions/0024-reads-of-named-partitions.md), of some buckets or of those who
 * lie by themselves. Each bucket is looked through for all of them, so those of many buckets are several statements.
 */
function readsOf<State extends Aged>(rows: StateRows<State>, workspaceId: string, keys: ReadonlySet<string>): Statement[] {
  const size = limits.cassandraPartitionsPerRead;
  const reads: { select: string; some: string[]; buckets: number[] }[] = [];
  for (const [bucket, wanted] of Map.groupBy(keys, (key) => rows.bucketOf(workspaceId, key))) {
    const { select } = locationOf(rows, workspaceId, wanted[0] ?? "");
    for (let at = 0; at < wanted.length; at += size) {
      const [some, buckets] = [wanted.slice(at, at + size), bucket === undefined ? [] : [bucket]];
      const last = reads.at(-1);
      const joins = last !== undefined && bucket !== undefined && last.buckets.length > 0 && last.some.length + some.length <= size &&
        (last.some.length + some.length) * (last.buckets.length + 1) <= limits.consentLookupsPerRead;
      if (joins) {
        last.some.push(...some);
        last.buckets.push(bucket);
      } else reads.push({ select, some, buckets });
    }
  }
  return reads.map(({ select: cql, some, buckets }) => {
    return { cql, values: { workspace_id: workspaceId, some, ...(buckets.length > 0 && { buckets }) } };
  });
}

/** What a row holds: the state, and where its chain ends. */
function bodyOf(row: Row): [state: unknown, end: ChainHead] {
  return JSON.parse(String(row["body"])) as [unknown, ChainHead];
}

interface RowOf<State> {
  readonly key: string;
  readonly state: State;
  readonly end: ChainHead | undefined;
  readonly stamp: bigint;
}

export function rowOf<State extends Aged>(
  rows: StateRows<State>,
  { put: cql, key: before }: StateRowLocation,
  { key, state, end, stamp }: RowOf<State>,
): Statement {
  const body = `[${rows.toRow(state)},${JSON.stringify(end ?? emptyChain)}]`;
  return { cql, values: { ...before, [rows.column]: key, body, stamp } };
}

/**
 * Lists come before the rows they lead to, and histories end before the row that says so: what is stopped half way is done
 * again by the applier that takes the records next.
 */
async function commit<State extends Aged>(
  { session, rows }: Keeping<State>,
  { workspaces, deadLetters }: LaneStep<State>,
): Promise<void> {
  async function run(writes: readonly (readonly Statement[])[]): Promise<void> {
    await inFlight(writes, limits.consentWritesInFlightMax, (batch) => write(session, batch));
  }
  for (const step of workspaces) {
    const { first } = step;
    await run([...rows.listed(step), ...together([...chainsListed(rows, step), ...erasing(rows, step)])]);
    if (first !== undefined && first.size > 0) await run(together(rowsOf(rows, step, (key) => first.has(key))));
    await run(together(rowsOf(rows, step, (key) => !first?.has(key))));
  }
  await run(deadLetters.map((row) => [deadLetterOf(row)]));
}

function together(writes: readonly PartitionWrite[]): (readonly Statement[])[] {
  return intoBatches(writes).map(({ statements }) => statements);
}

function chainsListed<State extends Aged>(
  rows: StateRows<State>,
  { workspaceId, entries, erased }: WorkspaceStep<State>,
): PartitionWrite[] {
  function listing(subject: string, stamp: bigint, gone: boolean): PartitionWrite {
    const { listBucket: bucket } = locationOf(rows, workspaceId, subject);
    return { partition: `list ${bucket}`, statements: [listSubjectOf(workspaceId, subject, { bucket, stamp, gone })] };
  }
  const begun = entries.filter(({ index }) => index === 0);
  return [
    ...begun.map((entry) => listing(entry.subject, stampOf({ mark: recordIdOf(entry) }), false)),
    ...Array.from(erased ?? [], ([subject, mark]) => listing(subject, stampOf({ mark }), true)),
  ];
}

/** Their rows stay, and say nothing but how far their records are in. */
function erasing<State extends Aged>(rows: StateRows<State>, { workspaceId, erased }: WorkspaceStep<State>): PartitionWrite[] {
  return Array.from(erased ?? [], ([subject, mark]) => {
    const location = locationOf(rows, workspaceId, subject);
    return { partition: location.partition, statements: [eraseEntriesOf(location, subject, stampOf({ mark }))] };
  });
}

function rowsOf<State extends Aged>(
  rows: StateRows<State>,
  { workspaceId, states, entries, ends }: WorkspaceStep<State>,
  isMeant: (key: string) => boolean,
): PartitionWrite[] {
  const byKey = Map.groupBy(entries, ({ subject }) => subject);
  return [...states].filter(([key]) => isMeant(key)).map(([key, state]) => {
    const location = locationOf(rows, workspaceId, key);
    const added = byKey.get(key) ?? [];
    return {
      partition: location.partition,
      statements: [
        rowOf(rows, location, { key, state, end: ends.get(key), stamp: stampOf(state) }),
        ...added.map((entry) => putEntryOf(location, entry, stampOf({ mark: recordIdOf(entry) }))),
      ],
    };
  });
}

function moveOf<State extends Aged>({ session, rows }: Keeping<State>, ledger: Ledger): ConsentMove<State> {
  const { of, column, alone, together: shared, fromRow } = rows;
  return {
    waiting: () => waitingToMove((max) => deadLetterList(session, max), of),
    async *read(workspaceIds) {
      for (const { scan } of shared === undefined ? [alone] : [alone, shared]) {
        for await (const page of scanTable(session, scan, limits.movedRowsPerPage)) {
          const wanted = page.filter((row) => workspaceIds.has(String(row["workspace_id"])));
          for (const [workspaceId, found] of Map.groupBy(wanted, (row) => String(row["workspace_id"]))) {
            const states = new Map(found.map((row): [string, State] => [String(row[column]), fromRow(bodyOf(row)[0])]));
            yield withChains(ledger, { workspaceId, states });
          }
        }
      }
    },
    async write(moved) {
      for (const some of inWrites(moved)) await commit({ session, rows }, stepOfRows(some));
    },
  };
}
