/** Memberships as the consent engine applies them: users whose groups change, judged by the groups of their workspace. */
import type { ConsentKind } from "../../consent/engine/plan-step.ts";
import { applyRecord, writtenFirst } from "../domain/apply-record.ts";
import { takesChangesAt } from "../domain/group-order.ts";
import type { MembershipRecord } from "../domain/membership-record.ts";
import type { UserId, UserMemberships } from "../domain/memberships.ts";
import type { MembershipStore } from "../domain/ports.ts";

export interface MembershipKindParts {
  readonly store: Pick<MembershipStore, "groups">;
  /** The pure step; an argument so that a test can make it throw. */
  readonly applyRecord?: typeof applyRecord;
}

export function membershipKind(parts: MembershipKindParts): ConsentKind<UserMemberships, MembershipRecord> {
  const applied = parts.applyRecord ?? applyRecord;
  return {
    keysOf: usersOf,
    async judge(workspaceId) {
      const groups = new Map((await parts.store.groups(workspaceId)).map((group) => [group.id, group]));
      function takesChanges(groupId: string, sequence: number): boolean {
        const group = groups.get(groupId);
        return group !== undefined && takesChangesAt(group, sequence);
      }
      return ({ states: users, onSkew }, record) => {
        const { changes, erased } = applied({ users, takesChanges, onSkew }, record);
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
