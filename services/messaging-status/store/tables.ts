/** What any store of the messaging-status service offers beside addresses: link keys, the ledger, and the applier's step. */
import type { LaneStep } from "../../../platform/lane/apply-rows.ts";
import type { Waiting } from "../../../platform/lane/hold-back.ts";
import type { SetAside } from "../../../platform/lane/lane.ts";
import type { ChainHead, LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { Ledger } from "../../../platform/ledger/read.ts";
import type { LinkKeys } from "../../../platform/link-keys.ts";
import type { AddressState } from "../domain/address-state.ts";
import type { AddressStore } from "../domain/ports.ts";

export interface StatusTables extends Ledger {
  readonly store: AddressStore;
  /** Of unsubscribe links. */
  readonly linkKeys: LinkKeys;
  /** States with where their chains end. The caller owns the objects. */
  loadForStep(workspaceId: string, addresses: readonly string[]): Promise<LoadedStates>;
  /** Each address's row and entries whole or not at all; doing it again is harmless. Throws LaneChanged where what was decided no longer holds. */
  commit(step: StepRows): Promise<void>;
  /** Records that wait for a human, at most `max`. */
  listSetAside(max: number): Promise<SetAside[]>;
  /** What waits of one workspace. */
  waiting(workspaceId: string): Promise<Waiting[]>;
}

export interface LoadedStates {
  readonly states: Map<string, AddressState>;
  readonly ends: Map<string, ChainHead>;
}

/** What a step writes of a workspace. */
interface WorkspaceRows {
  readonly workspaceId: string;
  /** Those that changed, */
  readonly states: ReadonlyMap<string, AddressState>;
  /** as they were before and between the records of the step; absent: unknown. */
  readonly passed: ReadonlyMap<string, readonly AddressState[]>;
  readonly entries: readonly LedgerEntry[];
  /** Where the chains end after the step. */
  readonly ends: ReadonlyMap<string, ChainHead>;
}

export type StepRows = LaneStep<WorkspaceRows>;
