/** Use case: all groups of users (GET /subscription/user/status). */
import { limits } from "../../../platform/limits.ts";
import type { Group } from "./group.ts";
import type { MembershipState } from "./memberships.ts";
import type { Asked, FindUsers, FoundUser, ReadDeps } from "./ports.ts";

export interface UserStatuses {
  readonly users: readonly (FoundUser & { readonly groups: readonly { readonly group: Group; readonly state: MembershipState }[] })[];
  readonly total: number;
  readonly behind: boolean;
}

/** Users who share an address are listed separately; only groups in which a state was set are listed. */
export async function getUserStatus(
  deps: ReadDeps & { readonly findUsers: FindUsers },
  request: Asked & { readonly limit: number; readonly offset: number },
): Promise<UserStatuses> {
  const { workspaceId, offset } = request;
  const caughtUp = deps.barrier.ask(request);
  const { found, behind, end } = await deps.findUsers();
  const all = [...new Map(found.flat().map((user) => [user.userId, user])).values()];
  const page = all.slice(offset, offset + (request.limit || limits.userStatusPageMax));
  const ids = page.map(({ userId }) => userId);
  const late = !await caughtUp(end, ids);
  const [known, rows, blocked] = await Promise.all([
    deps.store.groups(workspaceId),
    deps.store.load(workspaceId, ids),
    deps.isBlocked(workspaceId, ids),
  ]);
  const groups = new Map(known.map((group) => [group.id, group]));
  const users = page.map((user) => {
    const states = [...rows.get(user.userId)?.groups ?? []];
    const ofUser = states.flatMap(([id, state]) => {
      const group = groups.get(id);
      return group === undefined ? [] : [{ group, state }];
    });
    return { ...user, groups: ofUser };
  });
  return { users, total: all.length, behind: behind || late || blocked };
}
