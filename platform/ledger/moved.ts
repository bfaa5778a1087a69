/** What a backup takes from a store of consent and gives to another: states, with the chains of their subjects. */
import { inFlight } from "../in-flight.ts";
import { limits } from "../limits.ts";
import type { ChainHead, LedgerEntry } from "./ledger.ts";
import type { Ledger } from "./read.ts";

/** Some subjects of one workspace with all of their entries. */
export interface MovedConsent<State> {
  readonly workspaceId: string;
  readonly states: ReadonlyMap<string, State>;
  readonly entries: readonly LedgerEntry[];
  /** Where the chains end. */
  readonly ends: ReadonlyMap<string, ChainHead>;
}

/** A store of consent at rest, as a backup sees it. No other process writes to it meanwhile. */
export interface ConsentMove<State> {
  /** What waits to be applied or for a human, in words; empty where nothing does. */
  waiting(): Promise<string[]>;
  /** Every subject of these workspaces once, in no order. */
  read(workspaceIds: ReadonlySet<string>): AsyncIterable<MovedConsent<State>>;
  /** Into a store in which these workspaces have nothing, or a part of the same; doing it again is harmless. */
  write(rows: MovedConsent<State>): Promise<void>;
}

/** The states with their chains. */
export async function withChains<State>(
  ledger: Ledger,
  { workspaceId, states }: { readonly workspaceId: string; readonly states: ReadonlyMap<string, State> },
): Promise<MovedConsent<State>> {
  const subjects = [...states.keys()];
  const chains = await inFlight(subjects, limits.cassandraInFlightMax, (subject) => ledger.history(workspaceId, subject));
  return { workspaceId, states, entries: chains.flat(), ends: await ledger.heads(workspaceId, subjects) };
}

/** What of it a store does not have that takes each entry once. */
export async function notThere<State>(ledger: Pick<Ledger, "heads">, rows: MovedConsent<State>): Promise<MovedConsent<State>> {
  const ends = await ledger.heads(rows.workspaceId, [...rows.states.keys()]);
  return { ...rows, entries: rows.entries.filter(({ subject, index }) => index >= (ends.get(subject)?.count ?? 0)) };
}

/** Subjects that have a chain, a page at a time. */
export async function* subjectsOf(ledger: Ledger, workspaceId: string): AsyncGenerator<readonly string[]> {
  for (let from: string | undefined;;) {
    const page = await ledger.subjects(workspaceId, { from, max: limits.movedRowsPerPage });
    yield page.subjects;
    if (page.next === undefined) return;
    from = page.next;
  }
}

/** The same in writes that partitions take at once: the subjects with short chains together, one with a long chain in several. */
export function* inWrites<State>({ workspaceId, states, entries, ends }: MovedConsent<State>): Generator<MovedConsent<State>> {
  const size = limits.movedEntriesPerWrite;
  const bySubject = Map.groupBy(entries, ({ subject }) => subject);
  const [long, short] = [true, false].map((isLong) => {
    return new Map([...states].filter(([subject]) => (bySubject.get(subject)?.length ?? 0) > size === isLong));
  });
  yield { workspaceId, states: short ?? new Map(), entries: entries.filter(({ subject }) => short?.has(subject)), ends };
  for (const [subject, state] of long ?? []) {
    const chain = bySubject.get(subject) ?? [];
    for (let at = 0; at < chain.length; at += size) {
      yield { workspaceId, states: new Map([[subject, state]]), entries: chain.slice(at, at + size), ends };
    }
  }
}
