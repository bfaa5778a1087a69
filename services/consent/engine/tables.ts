/** What any store of consent offers: states by user or address, the ledger, and the applier's step. */
import type { DeadLetterId, Waiting } from "../../../platform/lane/hold-back.ts";
import type { DeadLetter, LaneRecord } from "../../../platform/lane/lane.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { ConsentMove } from "../../../platform/ledger/moved.ts";
import type { Ledger } from "../../../platform/ledger/read.ts";
import type { LaneStep, Loaded, WorkspaceStep } from "./plan-step.ts";

export interface ConsentTables<State> extends Ledger {
  /** States with where their chains end. The caller owns the objects. */
  loadForStep(workspaceId: string, keys: readonly string[]): Promise<Loaded<State>>;
  /** Each row and its entries whole or not at all; doing it again is harmless. */
  commit(step: LaneStep<State>): Promise<void>;
  /** Records that wait for a human, those of a workspace together and in their order, behind `after`; at most `max`. */
  listSetAside(max: number, after?: DeadLetterId): Promise<DeadLetter[]>;
  /** What waits of one workspace. */
  waiting(workspaceId: string): Promise<Waiting[]>;
  /** The same, in order, behind `after`, at most `max`. */
  deadLettersOf(workspaceId: string, max: number, after?: DeadLetterId): Promise<DeadLetter[]>;
  /** The records wait no more. */
  forgetSetAside(records: readonly LaneRecord[]): Promise<void>;
  /** Entries of these subjects whose cause lies at `sequence` or later, which may not be published; none where both are one write. */
  entriesSince(workspaceId: string, subjects: readonly string[], sequence: number): Promise<LedgerEntry[]>;
  readonly move: ConsentMove<State>;
}

/** What a move waits for; `of`: as in "memberships". */
export async function waitingToMove(listSetAside: ConsentTables<unknown>["listSetAside"], of: string): Promise<string[]> {
  return (await listSetAside(1)).length === 0 ? [] : [`dead letters of ${of} wait`];
}

/** Rows from elsewhere, as a step that caused nothing. */
export function stepOfRows<State>(rows: WorkspaceStep<State>): LaneStep<State> {
  const { workspaceId, states, entries, ends } = rows;
  return { workspaces: [{ workspaceId, states, entries, ends }], deadLetters: [] };
}
