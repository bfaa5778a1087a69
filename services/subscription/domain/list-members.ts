/** Use case: users with a state in a group. No list of them is kept: those who have a history of consent are looked through. */
import { limits } from "../../../platform/limits.ts";
import { groupOf } from "./group.ts";
import type { MembershipState, UserId } from "./memberships.ts";
import type { ConsentSubjects, MembershipStore } from "./ports.ts";

interface MembersPage {
  readonly users: readonly UserId[];
  /** Undefined at the end. */
  readonly next: string | undefined;
  /** How many users were looked at. */
  readonly lookedAt: number;
}

/** Refuses INPUT_INVALID for an unknown group. A page ends with those of the last turn, so that it may have nearly twice `membersPerPage`. */
export async function listMembers(
  { store, ledger }: { readonly store: Pick<MembershipStore, "load" | "groups">; readonly ledger: ConsentSubjects },
  asked: { readonly workspaceId: string; readonly groupId: string; readonly state: MembershipState; readonly from: string | undefined },
): Promise<MembersPage> {
  const { workspaceId, state } = asked;
  const { id: groupId } = groupOf(await store.groups(workspaceId), asked.groupId);
  const users: UserId[] = [];
  let next = asked.from;
  let lookedAt = 0;
  do {
    const page = await ledger.subjects(workspaceId, { from: next, max: limits.membersPerPage });
    const rows = await store.load(workspaceId, page.subjects);
    users.push(...page.subjects.filter((id) => rows.get(id)?.groups.get(groupId) === state));
    lookedAt += page.subjects.length;
    ({ next } = page);
  } while (next !== undefined && users.length < limits.membersPerPage && lookedAt < limits.membersLookedAtMax);
  return { users, next, lookedAt };
}
