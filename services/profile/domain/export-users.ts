/** Use case: profiles read back by any identifier (POST /users/export/ids). */
import { isBehind, type ReadParts, type ReadRequest } from "./catch-up.ts";
import { findUsers } from "./find-users.ts";
import type { StoredUser } from "./ports.ts";
import type { Profile } from "./profile.ts";
import type { UserId, UserKey } from "./user-key.ts";

export interface ExportedUsers {
  /** In the order of the request, each once. */
  readonly profiles: readonly Profile[];
  /** Places in the request that nobody answers to. */
  readonly unknown: readonly number[];
  /** Not everything that was answered before is in: the wait was over, or a user's records are held back. */
  readonly behind: boolean;
}

export async function exportUsers(
  parts: ReadParts,
  request: ReadRequest & { readonly users: readonly UserKey[] },
): Promise<ExportedUsers> {
  const late = await isBehind(parts, request);
  const { found, stored } = await readUsers(parts, request);
  const profiles = new Map<UserId, Profile>();
  const unknown: number[] = [];
  for (const [index, ids] of found.entries()) {
    const present = ids.flatMap((id) => stored.get(id)?.profile ?? []);
    if (present.length === 0) unknown.push(index);
    for (const profile of present) profiles.set(profile.id, profile);
  }
  const isHeld = [...stored.values()].some((user) => user.held);
  return { profiles: [...profiles.values()], unknown, behind: late || isHeld };
}

/** Names and profiles are two reads; where a step came in between, both are read again. */
async function readUsers(
  { identities, profiles, intake, applied }: ReadParts,
  { workspaceId, users }: { readonly workspaceId: string; readonly users: readonly UserKey[] },
): Promise<{ found: readonly UserId[][]; stored: ReadonlyMap<UserId, StoredUser> }> {
  const place = await intake.tail(workspaceId);
  for (let attempt = 1;; attempt += 1) {
    const before = applied.through(place);
    const named = await findUsers(identities, workspaceId, users);
    const found = named.map((rows) => rows.map(({ id }) => id));
    const stored = await profiles.loadUsers(workspaceId, [...new Set(found.flat())]);
    const isWhole = [...stored.values()].every((user) => user.profile !== undefined);
    if (isWhole || applied.through(place) === before || attempt === attemptsMax) return { found, stored };
  }
}

const attemptsMax = 3;
