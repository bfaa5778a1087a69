/** Records of one workspace applied to the states that they speak of: what a step writes. Both services of consent plan here. */
import { type Aged, hasMoved, isIn, type RecordId } from "../../../platform/age.ts";
import type { Blame } from "../../../platform/lane/hold-back.ts";
import type { DeadLetter } from "../../../platform/lane/lane.ts";
import { chained, type ChainHead, emptyChain, type LedgerChange, type LedgerEntry } from "../../../platform/ledger/ledger.ts";

/** What any record says beside its change. */
export interface ConsentRecord {
  readonly mark: RecordId;
  /** When it was resolved, or received by a clock that is ahead of that. Unix milliseconds. */
  readonly at: number;
  readonly requestId: string;
  readonly actor: string;
  /** Of the span that sent it; absent where the request is not recorded. */
  readonly traceparent?: string;
}

/** What a record did to the states. */
interface Applied {
  readonly changes: readonly Pick<LedgerChange, "subject" | "what" | "kind" | "before" | "after">[];
  /** Whose history ends. */
  readonly erased: readonly string[];
  /** Whose rows are durable before those of the others are written. */
  readonly first: readonly string[];
}

interface ApplyStates<State> {
  /** By user or address, changed in place; those a record speaks of are loaded or known to have nothing. */
  readonly states: Map<string, State>;
  /** Called where two states that change at once were not read as of one moment; it may throw Skew. */
  readonly onSkew: () => void;
}

/** What one service of consent keeps of a user or an address, and what a record does to it. */
export interface ConsentKind<State extends Aged, Payload extends ConsentRecord> {
  /** Users or addresses whose states the record reads or changes. */
  keysOf(record: Payload): readonly string[];
  /** The pure step, with what it judges the records of the workspace by. */
  judge(workspaceId: string): Promise<(step: ApplyStates<State>, record: Payload) => Applied>;
  /** Given where the store wants to know the states between the records, too. */
  readonly copy?: (state: State) => State;
}

export interface Loaded<State> {
  readonly states: Map<string, State>;
  /** Where their chains end. */
  readonly ends: Map<string, ChainHead>;
}

/** What a step writes of a workspace. */
export interface WorkspaceStep<State> {
  readonly workspaceId: string;
  /** Those that changed. */
  readonly states: ReadonlyMap<string, State>;
  /** As they were before and between the records; absent: unknown. */
  readonly passed?: ReadonlyMap<string, readonly State[]>;
  /** Users or addresses whose rows are durable before those of the others are written. */
  readonly first?: ReadonlySet<string>;
  /** Whose history ends before the entries, with the mark of the record that ends it. */
  readonly erased?: ReadonlyMap<string, RecordId>;
  readonly entries: readonly LedgerEntry[];
  /** Where the chains end after the step. */
  readonly ends: ReadonlyMap<string, ChainHead>;
}

/** What is written of a run of records. */
export interface LaneStep<State> {
  readonly workspaces: readonly WorkspaceStep<State>[];
  /** Records that cannot be applied, and those that wait for them. */
  readonly deadLetters: readonly DeadLetter[];
}

export interface PlanDeps<State extends Aged, Payload extends ConsentRecord> {
  readonly kind: ConsentKind<State, Payload>;
  /** The caller owns the objects. */
  readonly loadForStep: (workspaceId: string, keys: readonly string[]) => Promise<Loaded<State>>;
}

/** Two states of one record were not read as of one moment: they have to be read again. */
export class Skew extends Error {}

/** `stale`: records that were in before, whose entries are written already. */
export async function planWorkspace<State extends Aged, Payload extends ConsentRecord>(
  { kind, loadForStep }: PlanDeps<State, Payload>,
  workspaceId: string,
  { records, blame, onSkew = () => {} }: {
    readonly records: readonly Payload[];
    readonly blame: Blame<Payload>;
    readonly onSkew?: () => void;
  },
): Promise<{ readonly step: WorkspaceStep<State>; readonly stale: readonly Payload[] }> {
  // Where no record's workspace can be read, there is none to load for
  if (records.length === 0) return { step: { workspaceId, states: new Map(), entries: [], ends: new Map() }, stale: [] };
  const keys = [...new Set(records.flatMap((record) => kind.keysOf(record)))];
  const [apply, { states, ends }] = await Promise.all([kind.judge(workspaceId), loadForStep(workspaceId, keys)]);
  const marks = new Map(Array.from(states, ([key, { mark }]) => [key, mark]));
  const { copy } = kind;
  const passed = copy && new Map(Array.from(states, ([key, state]) => [key, [copy(state)]]));
  const chains = new Chains(workspaceId, ends);
  const spoiled = new Set<string>();
  for (const record of records) {
    const own = kind.keysOf(record);
    try {
      if (!own.some((key) => spoiled.has(key))) {
        chains.add(record, apply({ states, onSkew }, record));
        addPassed(kind, { passed, states }, own);
        continue;
      }
    } catch (error) {
      if (error instanceof Skew) throw error;
      blame(record, error);
    }
    // What a record that throws leaves may be half changed: it is passed over from there on
    for (const key of own) spoiled.add(key);
  }
  const changed = new Map([...states].filter(([key, { mark }]) => hasMoved(mark, marks.get(key))));
  const stale = records.filter((record) => kind.keysOf(record).some((key) => isIn(record.mark, marks.get(key))));
  const { entries, erased, first } = chains;
  return { step: { workspaceId, states: changed, ...(passed && { passed }), first, erased, entries, ends }, stale };
}

function addPassed<State extends Aged>(
  { copy }: Pick<ConsentKind<State, never>, "copy">,
  { passed, states }: { readonly passed: Map<string, State[]> | undefined; readonly states: ReadonlyMap<string, State> },
  keys: readonly string[],
): void {
  for (const key of keys) {
    const state = states.get(key);
    if (passed === undefined || copy === undefined || state === undefined) continue;
    passed.set(key, [...passed.get(key) ?? [], copy(state)]);
  }
}

/** Those erased need no end of their chains: what is written of them is that they are erased. */
class Chains {
  readonly erased = new Map<string, RecordId>();
  readonly first = new Set<string>();
  entries: LedgerEntry[] = [];
  readonly #workspaceId: string;
  readonly #ends: Map<string, ChainHead>;

  constructor(workspaceId: string, ends: Map<string, ChainHead>) {
    this.#workspaceId = workspaceId;
    this.#ends = ends;
  }

  add({ at, requestId, actor, mark }: ConsentRecord, applied: Applied): void {
    const [sequence, part] = mark;
    for (const change of applied.changes) {
      const head = this.#ends.get(change.subject) ?? emptyChain;
      const next = chained({ workspaceId: this.#workspaceId, head }, { ...change, at, actor, requestId, sequence, part });
      this.#ends.set(change.subject, next.head);
      this.entries.push(next.entry);
    }
    for (const subject of applied.erased) {
      this.erased.set(subject, mark);
      this.#ends.set(subject, emptyChain);
      this.entries = this.entries.filter((entry) => entry.subject !== subject);
    }
    for (const subject of applied.first) this.first.add(subject);
  }
}
