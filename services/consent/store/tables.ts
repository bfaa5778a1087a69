/** What any store of consent offers: states by user or address, the ledger, and the applier's step. */
import type { LaneStep } from "../../../platform/lane/apply-rows.ts";
import type { Waiting } from "../../../platform/lane/hold-back.ts";
import type { SetAside } from "../../../platform/lane/lane.ts";
import type { ChainHead } from "../../../platform/ledger/ledger.ts";
import type { Ledger } from "../../../platform/ledger/read.ts";
import type { Loaded, WorkspaceStep } from "../engine/plan-step.ts";

export interface ConsentTables<State> extends Ledger {
  /** States with where their chains end. The caller owns the objects. */
  loadForStep(workspaceId: string, keys: readonly string[]): Promise<Loaded<State>>;
  /** Each row and its entries whole or not at all; doing it again is harmless. Throws LaneChanged where what was decided no longer holds. */
  commit(step: LaneStep<WorkspaceStep<State>>): Promise<void>;
  /** Records that wait for a human, at most `max`. */
  listSetAside(max: number): Promise<SetAside[]>;
  /** What waits of one workspace. */
  waiting(workspaceId: string): Promise<Waiting[]>;
}

export const noEntries: ChainHead = { count: 0, hash: "" };

/** Rows from elsewhere, as a step that caused nothing. */
export function stepOfRows<State>(rows: WorkspaceStep<State>): LaneStep<WorkspaceStep<State>> {
  const { workspaceId, states, entries, ends } = rows;
  return { workspaces: [{ workspaceId, states, entries, ends }], setAside: [], taken: [] };
}
