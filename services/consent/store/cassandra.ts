/**
 * The mesh's store of consent. A row and its ledger entries lie in one partition and are one write, with the mark of the last
 * record as its age: repeating a step, or a late writer, changes nothing.
 */
import type { Aged } from "../../../platform/age.ts";
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import { markOf } from "../../../platform/lane/mark.ts";
import { forgetSetAsideOf, setAsideIn, setAsideList, setAsideOf, waitingIn } from "../lane/set-aside-cassandra.ts";
import { stampOf } from "../lane/stamp.ts";
import { cassandraLedger, entriesSince, eraseEntriesOf, listSubjectOf, putEntryOf } from "../../../platform/ledger/cassandra.ts";
import type { ChainHead } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import type { LaneStep, Loaded, WorkspaceStep } from "../engine/plan-step.ts";
import { type ConsentTables, noEntries } from "./tables.ts";

/** How a service keeps its states. */
export interface StateRows<State extends Aged> {
  /** The column of the user or address. */
  readonly key: string;
  select(workspaceId: string, keys: readonly string[]): Statement;
  put(workspaceId: string, key: string, row: { readonly body: string; readonly stamp: bigint }): Statement;
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
    return new Map(subjects.map((subject) => [subject, ends.get(subject) ?? noEntries]));
  }
  return {
    loadForStep,
    ...cassandraLedger({ session, heads }),
    commit: (step) => commit({ session, rows }, step),
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

interface Keeping<State extends Aged> {
  readonly session: Session;
  readonly rows: StateRows<State>;
}

/** A statement reads up to `cassandraPartitionsPerRead` rows (docs/decisions/0024-reads-of-named-partitions.md). */
async function loadStates<State extends Aged>(
  { session, rows }: Keeping<State>,
  workspaceId: string,
  keys: readonly string[],
): Promise<Loaded<State>> {
  const wanted = [...new Set(keys)];
  const size = limits.cassandraPartitionsPerRead;
  const parts = Array.from({ length: Math.ceil(wanted.length / size) }, (_, at) => wanted.slice(at * size, (at + 1) * size));
  const found = await inFlight(parts, limits.cassandraInFlightMax, (some) => session.execute(rows.select(workspaceId, some)));
  const loaded: Loaded<State> = { states: new Map(), ends: new Map() };
  for (const row of found.flat()) {
    const key = String(row[rows.key]);
    const [state, end] = bodyOf(row);
    loaded.states.set(key, rows.fromRow(state));
    loaded.ends.set(key, end);
  }
  return loaded;
}

/** What a row holds: the state, and where its chain ends. */
export function bodyOf(row: Row): [state: unknown, end: ChainHead] {
  return JSON.parse(String(row["body"])) as [unknown, ChainHead];
}

export function rowOf<State extends Aged>(
  { put, toRow }: Pick<StateRows<State>, "put" | "toRow">,
  workspaceId: string,
  of: { readonly key: string; readonly state: State; readonly end: ChainHead | undefined; readonly stamp: bigint },
): Statement {
  return put(workspaceId, of.key, { body: `[${toRow(of.state)},${JSON.stringify(of.end ?? noEntries)}]`, stamp: of.stamp });
}

/**
 * Lists come before the rows they lead to, and histories end before the row that says so: what is stopped half way is done
 * again by the applier that takes the records next.
 */
async function commit<State extends Aged>(
  { session, rows }: Keeping<State>,
  { workspaces, setAside }: LaneStep<State>,
): Promise<void> {
  async function run(writes: readonly (readonly Statement[])[]): Promise<void> {
    await inFlight(writes, limits.consentWritesInFlightMax, (batch) => write(session, batch));
  }
  for (const step of workspaces) {
    const { first } = step;
    await run([...chainsListed(step), ...rows.listed(step), ...erasing(step)]);
    if (first !== undefined && first.size > 0) await run(rowsOf(rows, step, (key) => first.has(key)));
    await run(rowsOf(rows, step, (key) => !first?.has(key)));
  }
  await run(setAside.map((row) => [setAsideOf(row)]));
}

async function write(session: Session, statements: readonly Statement[]): Promise<void> {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) await session.execute(only);
  else if (only !== undefined) await session.batch(statements);
}

function chainsListed({ workspaceId, entries, erased }: WorkspaceStep<unknown>): Statement[][] {
  const begun = entries.filter(({ index }) => index === 0).map((entry) => [
    listSubjectOf(workspaceId, entry.subject, { stamp: stampOf({ mark: markOf(entry) }), gone: false }),
  ]);
  const ended = Array.from(erased ?? [], ([subject, mark]) => [
    listSubjectOf(workspaceId, subject, { stamp: stampOf({ mark }), gone: true }),
  ]);
  return [...begun, ...ended];
}

/** Their rows stay, and say nothing but how far their records are in. */
function erasing({ workspaceId, erased }: WorkspaceStep<unknown>): Statement[][] {
  return Array.from(erased ?? [], ([subject, mark]) => [eraseEntriesOf(workspaceId, subject, stampOf({ mark }))]);
}

function rowsOf<State extends Aged>(
  rows: StateRows<State>,
  { workspaceId, states, entries, ends }: WorkspaceStep<State>,
  isMeant: (key: string) => boolean,
): Statement[][] {
  const byKey = Map.groupBy(entries, ({ subject }) => subject);
  return [...states].filter(([key]) => isMeant(key)).map(([key, state]) => {
    const added = byKey.get(key) ?? [];
    return [
      rowOf(rows, workspaceId, { key, state, end: ends.get(key), stamp: stampOf(state) }),
      ...added.map((entry) => putEntryOf(workspaceId, entry, stampOf({ mark: markOf(entry) }))),
    ];
  });
}
