/**
 * The mesh's store of the messaging-status service. An address's row and its ledger entries lie in one partition and are
 * one write, as old as the last record of the address: repeating a step, or a late writer, changes nothing.
 */
import { inFlight } from "../../../platform/cassandra/in-flight.ts";
import type { Row, Session, Statement } from "../../../platform/cassandra/session.ts";
import { forgetSetAsideOf, setAsideIn, setAsideList, setAsideOf, waitingIn } from "../../../platform/lane/set-aside-cassandra.ts";
import type { LaneRecord, SetAside } from "../../../platform/lane/lane.ts";
import { markOf } from "../../../platform/lane/mark.ts";
import { stampOf } from "../../../platform/lane/stamp.ts";
import { cassandraLedger, entriesSince, listSubjectOf, putEntryOf } from "../../../platform/ledger/cassandra.ts";
import type { ChainHead, LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { AddressState } from "../domain/address-state.ts";
import { listedWrites, readList } from "./cassandra-lists.ts";
import { putLinkKey, putState, selectLinkKeys, selectStates } from "./statements.ts";
import { type LinkKeys, sharedRing } from "../../../platform/link-keys.ts";
import type { LoadedStates, StatusTables, StepRows } from "./tables.ts";

/** The tables must be there (`schema/`, brought by migrate). The session stays the caller's. */
export function openCassandraStatusStore(session: Session): StatusTables & RepeatedEntries {
  function loadForStep(workspaceId: string, addresses: readonly string[]): Promise<LoadedStates> {
    return loadStates(session, workspaceId, addresses);
  }
  async function heads(workspaceId: string, subjects: readonly string[]): Promise<Map<string, ChainHead>> {
    const { ends } = await loadForStep(workspaceId, subjects);
    return new Map(subjects.map((subject) => [subject, ends.get(subject) ?? noEntries]));
  }
  return {
    store: {
      load: async (workspaceId, addresses) => (await loadForStep(workspaceId, addresses)).states,
      list: (workspaceId, list, filter) => readList(session, { workspaceId, list }, filter),
    },
    linkKeys: linkKeyTable(session),
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

/** A statement reads up to `cassandraPartitionsPerRead` addresses. */
async function loadStates(session: Session, workspaceId: string, addresses: readonly string[]): Promise<LoadedStates> {
  const wanted = [...new Set(addresses)];
  const size = limits.cassandraPartitionsPerRead;
  const parts = Array.from({ length: Math.ceil(wanted.length / size) }, (_, at) => wanted.slice(at * size, (at + 1) * size));
  const rows = await inFlight(parts, limits.cassandraInFlightMax, (some) => {
    return session.execute({ cql: selectStates, values: { workspace_id: workspaceId, addresses: some }, idempotent: true });
  });
  const loaded: LoadedStates = { states: new Map(), ends: new Map() };
  for (const row of rows.flat()) addState(loaded, row);
  return loaded;
}

function addState({ states, ends }: LoadedStates, row: Row): void {
  const [state, end] = JSON.parse(String(row["body"])) as [AddressState, ChainHead];
  states.set(state.address, state);
  ends.set(state.address, end);
}

/** Lists come before the rows that they lead to: what is stopped half way is done again by whoever applies the records next. */
async function commit(session: Session, { workspaces, setAside }: StepRows): Promise<void> {
  async function run(writes: readonly (readonly Statement[])[]): Promise<void> {
    await inFlight(writes, limits.consentWritesInFlightMax, (batch) => write(session, batch));
  }
  for (const workspace of workspaces) {
    await run([...begunChains(workspace), ...listedWrites(workspace)]);
    await run(rowsOf(workspace));
  }
  await run(setAside.map((row) => [setAsideOf(row)]));
}

type Workspace = StepRows["workspaces"][number];

async function write(session: Session, statements: readonly Statement[]): Promise<void> {
  const [only] = statements;
  if (only !== undefined && statements.length === 1) await session.execute(only);
  else if (only !== undefined) await session.batch(statements);
}

function begunChains({ workspaceId, entries }: Workspace): Statement[][] {
  return entries.filter(({ index }) => index === 0).map((entry) => [
    listSubjectOf(workspaceId, entry.subject, { stamp: stampOf({ mark: markOf(entry) }), gone: false }),
  ]);
}

function rowsOf({ workspaceId, states, entries, ends }: Workspace): Statement[][] {
  const byAddress = Map.groupBy(entries, ({ subject }) => subject);
  return Array.from(states, ([address, state]) => {
    const body = JSON.stringify([state, ends.get(address) ?? noEntries]);
    const values = { workspace_id: workspaceId, address, body, stamp: stampOf(state) };
    const added = byAddress.get(address) ?? [];
    return [
      { cql: putState, values, idempotent: true },
      ...added.map((entry) => putEntryOf(workspaceId, entry, stampOf({ mark: markOf(entry) }))),
    ];
  });
}

/** One row a key, given out in order: whoever comes second to a number takes the next. */
function linkKeyTable(session: Session): LinkKeys {
  async function read(ring: string, serial: boolean) {
    const statement = { cql: selectLinkKeys, values: { name: nameOf(ring) }, idempotent: true };
    const rows = await session.execute(serial ? { ...statement, serial } : statement);
    return rows.map((row) => ({ id: Number(row["id"]), bytes: new Uint8Array(row["bytes"] as Uint8Array) })).toReversed();
  }
  return {
    all: (ring) => read(ring, false),
    async add(ring, make, { unlessAny }) {
      for (let attempt = 1; attempt <= limits.linkKeyAttemptsMax; attempt += 1) {
        const [newest] = await read(ring, true);
        if (unlessAny && newest !== undefined) return;
        const { id, bytes } = make((newest?.id ?? 0) + 1);
        if (await session.conditional([{ cql: putLinkKey, values: { name: nameOf(ring), id, bytes }, idempotent: false }])) return;
      }
      throw new Refusal("STATE_CONFLICT", "Keys of links are being made by others, try again");
    },
  };
}

/** Those of before there were rings stand under the first name. */
function nameOf(ring: string): string {
  return ring === sharedRing ? "links" : `links ${ring}`;
}
