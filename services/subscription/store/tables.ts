/** What any store of the subscription service offers beside memberships and groups: the ledger, and the applier's step. */
import type { LaneStep } from "../../../platform/lane/apply-rows.ts";
import type { Waiting } from "../../../platform/lane/hold-back.ts";
import type { SetAside } from "../../../platform/lane/lane.ts";
import type { ChainHead, LedgerEntry } from "../../../platform/ledger/ledger.ts";
import type { Ledger } from "../../../platform/ledger/read.ts";
import type { OrderedGroup } from "../domain/group-order.ts";
import type { Mark, UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";

export interface SubscriptionTables extends Ledger {
  readonly store: MembershipStore;
  /** Brings groups from elsewhere; those that are here stay. The log goes on above `through`, and nothing else writes groups meanwhile. */
  bringGroups(workspaceId: string, groups: readonly OrderedGroup[], through: number): Promise<void>;
  /** Users with where their chains end. The caller owns the objects. */
  loadForStep(workspaceId: string, ids: readonly UserId[]): Promise<LoadedUsers>;
  /** Each user's row and entries whole or not at all; doing it again is harmless. Throws LaneChanged where what was decided no longer holds. */
  commit(step: StepRows): Promise<void>;
  /** Records that wait for a human, at most `max`. */
  listSetAside(max: number): Promise<SetAside[]>;
  /** What waits of one workspace. */
  waiting(workspaceId: string): Promise<Waiting[]>;
}

export interface LoadedUsers {
  readonly users: Map<UserId, UserMemberships>;
  readonly ends: Map<UserId, ChainHead>;
}

/** What a step writes of a workspace. */
interface WorkspaceRows {
  readonly workspaceId: string;
  /** Those that changed. */
  readonly users: ReadonlyMap<UserId, UserMemberships>;
  /** Users whose rows are durable before those of the others are written. */
  readonly first?: ReadonlySet<UserId>;
  readonly entries: readonly LedgerEntry[];
  /** Where the chains end after the step. */
  readonly ends: ReadonlyMap<UserId, ChainHead>;
  /** Whose history ends, with the mark of the record that ends it. */
  readonly erased: ReadonlyMap<UserId, Mark>;
}

export type StepRows = LaneStep<WorkspaceRows>;
