/** What any store of the subscription service offers: the tables of consent, by user, and the groups. */
import type { LaneStep } from "../../consent/engine/plan-step.ts";
import type { ConsentTables } from "../../consent/engine/tables.ts";
import type { OrderedGroup } from "../domain/group-order.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";

export interface SubscriptionTables extends ConsentTables<UserMemberships> {
  readonly store: MembershipStore;
  /** Brings groups from elsewhere; those that are here stay. The log goes on above `through`, and nothing else writes groups meanwhile. */
  bringGroups(workspaceId: string, groups: readonly OrderedGroup[], through: number): Promise<void>;
}

export type StepRows = LaneStep<UserMemberships>;
