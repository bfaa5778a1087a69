/** Use case: the users of a workspace in pages: all by id, all from the newest on, those who are blocked, changed last, or named. */
import { limits } from "../../../../platform/limits.ts";
import { isAfter } from "../../../../platform/age.ts";
import { catchUp, type ReadDeps, type ReadRequest } from "./catch-up.ts";
import type { LastChanged } from "../ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { UserId } from "../record/user-key.ts";

export interface UserPage {
  readonly profiles: readonly Profile[];
  /** Undefined at the end. */
  readonly next: UserId | undefined;
}

type UserList = "all" | "newest" | "blocked" | "changed";

interface ListRequest extends ReadRequest {
  readonly list?: UserList;
  readonly after: UserId;
  readonly size: number;
  /** Not empty: these alone, whatever `list` is. */
  readonly ids?: readonly UserId[];
}

/** `size` 0: as many as a page may hold. By id, users made while pages are read come on a later page, ids rise. */
export async function listUsers(
  deps: ReadDeps & { readonly lastChanged: LastChanged },
  request: ListRequest,
): Promise<UserPage> {
  await catchUp(deps, request);
  const { profiles, lastChanged } = deps;
  const { workspaceId, list = "all", after, ids = [] } = request;
  if (ids.length > 0) {
    const found = await profiles.load(workspaceId, ids.slice(0, limits.usersPerPageMax));
    return { profiles: ids.flatMap((id) => found.get(id) ?? []), next: undefined };
  }
  const size = Math.min(request.size || limits.usersPerPageMax, limits.usersPerPageMax);
  if (list === "changed") {
    const found = await profiles.load(workspaceId, await lastChanged(workspaceId, size));
    return { profiles: [...found.values()].toSorted(lastChangedFirst), next: undefined };
  }
  if (list === "blocked") {
    const ids = (await profiles.pageBlocked(workspaceId, after, size)).map(({ userId }) => userId);
    const found = await profiles.load(workspaceId, ids);
    return { profiles: ids.flatMap((id) => found.get(id) ?? []), next: ids.length < size ? undefined : ids.at(-1) };
  }
  const page = await (list === "newest" ? profiles.pageBack(workspaceId, after, size) : profiles.page(workspaceId, after, size));
  return { profiles: page, next: page.length < size ? undefined : page.at(-1)?.id };
}

/** Of one millisecond by their place in the workspace's order: a step gives all its records one time. */
function lastChangedFirst(a: Profile, b: Profile): number {
  return b.updatedAt - a.updatedAt || (isAfter(b.mark, a.mark) ? 1 : -1);
}
