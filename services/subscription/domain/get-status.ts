/** Use case: the state of users in one group (GET /subscription/status/get). */
import { checkAddresses, groupOf } from "./group.ts";
import { type MembershipState, sharedState } from "./memberships.ts";
import type { Asked, FindUsers, ReadDeps } from "./ports.ts";

export interface Statuses {
  /** One a key, in the order of the keys; undefined: unknown. */
  readonly states: readonly (MembershipState | undefined)[];
  readonly behind: boolean;
}

/** Refuses INPUT_INVALID for an unknown group and for addresses that are not of its channel. */
export async function getStatus(
  deps: ReadDeps & { readonly findUsers: FindUsers },
  request: Asked & { readonly groupId: string; readonly by: { readonly emails: boolean; readonly phones: boolean } },
): Promise<Statuses> {
  const { workspaceId, groupId, by } = request;
  const caughtUp = deps.barrier.ask(request);
  const [groups, { found, behind, end }] = await Promise.all([deps.store.groups(workspaceId), deps.findUsers()]);
  const group = groupOf(groups, groupId);
  checkAddresses(group, by);
  const ids = [...new Set(found.flat().map(({ userId }) => userId))];
  const late = !await caughtUp(end, ids);
  const [rows, blocked] = await Promise.all([deps.store.load(workspaceId, ids), deps.isBlocked(workspaceId, ids)]);
  const states = found.map((users) => sharedState(users.map(({ userId }) => rows.get(userId)?.groups.get(group.id))));
  return { states, behind: behind || late || blocked };
}
