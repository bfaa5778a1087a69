/** Records of a lane of memberships, applied by the consent engine; changes of groups among them. */
import { type AppliedTables, type ApplyEnds, applyLane } from "../../consent/engine/apply-messages.ts";
import type { LaneBody } from "../../consent/lane/lane-window.ts";
import { changedInOrder, type OrderedGroups } from "../domain/group-order.ts";
import type { UserMemberships } from "../domain/memberships.ts";
import { membershipMessages } from "./lane-message.ts";
import { membershipKind, type MembershipKindParts } from "./membership-kind.ts";

export interface MembershipApplyParts extends AppliedTables<UserMemberships>, ApplyEnds, MembershipKindParts {
  readonly readGroups: (workspaceId: string) => Promise<OrderedGroups>;
  readonly writeGroups: (workspaceId: string, groups: OrderedGroups) => Promise<void>;
}

/** As `applyLane`. */
export async function applyMessages(parts: MembershipApplyParts, bodies: readonly LaneBody[]): Promise<void> {
  await applyLane({
    ...parts,
    service: "subscription",
    kind: membershipKind(parts),
    messages: membershipMessages,
    isDelete: ({ change }) => change.type === "deleted",
    async applyOfWorkspace(workspaceId, said) {
      const groups = changedInOrder(await parts.readGroups(workspaceId), said.change, said.mark);
      if (groups !== undefined) await parts.writeGroups(workspaceId, groups);
    },
  }, bodies);
}
