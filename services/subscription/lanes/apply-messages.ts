/** Records of a lane of memberships, applied by the consent engine; changes of groups among them. */
import { findById } from "../../../platform/identifier.ts";
import { type AppliedTables, type ApplyEnds, applyLane } from "../../consent/engine/apply-messages.ts";
import type { ConsentKind } from "../../consent/engine/plan-step.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import { applyRecord, writtenFirst } from "../domain/apply-record.ts";
import { changedInOrder, type OrderedGroups, takesChangesAt } from "../domain/group-order.ts";
import type { MembershipRecord } from "../domain/membership-record.ts";
import type { UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";
import { membershipMessages } from "./lane-message.ts";

export interface MembershipApplyDeps extends AppliedTables<UserMemberships>, ApplyEnds {
  readonly store: Pick<MembershipStore, "groups">;
  /** The pure step; an argument so that a test can make it throw. */
  readonly applyRecord?: typeof applyRecord;
  readonly readGroups: (workspaceId: string) => Promise<OrderedGroups>;
  readonly writeGroups: (workspaceId: string, groups: OrderedGroups) => Promise<void>;
}

/** As `applyLane`. */
export async function applyMessages(deps: MembershipApplyDeps, bodies: readonly LaneBody[]): Promise<void> {
  await applyLane({
    ...deps,
    service: "subscription",
    kind: membershipKind(deps),
    messages: membershipMessages,
    isDelete: ({ change }) => change.type === "deleted",
    async applyOfWorkspace(workspaceId, content) {
      const groups = changedInOrder(await deps.readGroups(workspaceId), content.change, content.mark);
      if (groups !== undefined) await deps.writeGroups(workspaceId, groups);
    },
  }, bodies);
}

/** Users whose groups change, judged by the groups of their workspace. */
function membershipKind(deps: Pick<MembershipApplyDeps, "applyRecord" | "store">): ConsentKind<UserMemberships, MembershipRecord> {
  const applied = deps.applyRecord ?? applyRecord;
  return {
    keysOf: usersOf,
    async judge(workspaceId) {
      const all = await deps.store.groups(workspaceId);
      const groups = new Map(all.map((group) => [group.id, group]));
      /** Who sent it may not have known how the id of the group is declared, whose letters may be in either case. */
      function asDeclared(record: MembershipRecord): MembershipRecord {
        const { change } = record;
        if (change.type !== "set" || groups.has(change.groupId)) return record;
        const found = findById(all, change.groupId);
        return found === undefined ? record : { ...record, change: { ...change, groupId: found.id } };
      }
      function takesChanges(groupId: string, sequence: number): boolean {
        const group = groups.get(groupId);
        return group !== undefined && takesChangesAt(group, sequence);
      }
      return ({ states: users, onSkew }, record) => {
        const { changes, erased } = applied({ users, takesChanges, onSkew }, asDeclared(record));
        return {
          changes: changes.map(({ userId: subject, groupId: what, ...change }) => ({ subject, what, ...change })),
          erased,
          // The users who were merged into a deleted one: its own row says that all of them are gone
          first: [...writtenFirst(record), ...erased.filter((id) => id !== record.userId)],
        };
      };
    },
  };
}

function usersOf({ userId, change }: MembershipRecord): UserId[] {
  return "sourceId" in change ? [userId, change.sourceId] : [userId];
}
