/** Use case: all users of a workspace in pages, by id. */
import { limits } from "../../../platform/limits.ts";
import { isBehind, type ReadParts, type ReadRequest } from "./catch-up.ts";
import type { Profile } from "./profile.ts";
import type { UserId } from "./user-key.ts";

export interface UserPage {
  readonly profiles: readonly Profile[];
  /** Undefined at the end. */
  readonly next: UserId | undefined;
}

/** `size` 0: as many as a page may hold. Users made while pages are read come on a later page, ids rise. */
export async function listUsers(
  parts: ReadParts,
  request: ReadRequest & { readonly after: UserId; readonly size: number },
): Promise<UserPage> {
  await isBehind(parts, request);
  const size = Math.min(request.size || limits.usersPerPageMax, limits.usersPerPageMax);
  const profiles = await parts.profiles.page(request.workspaceId, request.after, size);
  return { profiles, next: profiles.length < size ? undefined : profiles.at(-1)?.id };
}
