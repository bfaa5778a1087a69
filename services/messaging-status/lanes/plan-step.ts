/** Records of one workspace applied to the addresses they speak of: what a step writes. */
import type { Blame, Waiting } from "../../../platform/lane/hold-back.ts";
import { hasMoved, isIn } from "../../../platform/lane/mark.ts";
import { chained, type ChainHead, emptyChain, type LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { type AddressState, unknownAddress } from "../domain/address-state.ts";
import { applyRecord } from "../domain/apply-record.ts";
import type { StatusRecord } from "../domain/status-record.ts";

export interface WorkspaceStep {
  readonly workspaceId: string;
  /** Those that changed, */
  readonly states: ReadonlyMap<string, AddressState>;
  /** as they were before and between the records; absent: unknown. */
  readonly passed: ReadonlyMap<string, readonly AddressState[]>;
  readonly entries: readonly LedgerEntry[];
  /** Where the chains end after the step. */
  readonly ends: ReadonlyMap<string, ChainHead>;
}

export interface PlanParts {
  /** What waits for a human, of one workspace. */
  readonly waiting: (workspaceId: string) => Promise<readonly Waiting[]>;
  /** The pure step; an argument so that a test can make it throw. */
  readonly applyRecord?: typeof applyRecord;
  readonly loadForStep: (
    workspaceId: string,
    addresses: readonly string[],
  ) => Promise<{ readonly states: Map<string, AddressState>; readonly ends: Map<string, ChainHead> }>;
}

/** `stale`: records that were in before, whose entries are written already. */
export async function planWorkspace(
  parts: PlanParts,
  workspaceId: string,
  { records, blame }: { readonly records: readonly StatusRecord[]; readonly blame: Blame<StatusRecord> },
): Promise<{ readonly step: WorkspaceStep; readonly stale: readonly StatusRecord[] }> {
  const { states, ends } = await parts.loadForStep(workspaceId, [...new Set(records.map(({ address }) => address))]);
  const passed = new Map(Array.from(states, ([address, state]) => [address, [{ ...state }]]));
  const marks = new Map(Array.from(states, ([address, { mark }]) => [address, mark]));
  const entries: LedgerEntry[] = [];
  const spoiled = new Set<string>();
  function apply(record: StatusRecord): void {
    const { address: subject, at, requestId, actor, mark: [sequence, part] } = record;
    const state = states.get(subject) ?? unknownAddress(subject);
    states.set(subject, state);
    for (const change of (parts.applyRecord ?? applyRecord)(state, record)) {
      const whole = { subject, ...change, at, actor, requestId, sequence, part };
      const next = chained({ workspaceId, head: ends.get(subject) ?? emptyChain }, whole);
      ends.set(subject, next.head);
      entries.push(next.entry);
    }
    passed.set(subject, [...passed.get(subject) ?? [], { ...state }]);
  }
  // The state of an address whose record throws may be half changed: it is passed over from there on
  for (const record of records) {
    try {
      if (!spoiled.has(record.address)) apply(record);
    } catch (error) {
      blame(record, error);
      spoiled.add(record.address);
    }
  }
  const changed = new Map([...states].filter(([address, { mark }]) => hasMoved(mark, marks.get(address))));
  const stale = records.filter(({ mark, address }) => isIn(mark, marks.get(address)));
  return { step: { workspaceId, states: changed, passed, entries, ends }, stale };
}
