/** Use case: profiles read back by any identifier (POST /users/export/ids). */
import { limits } from "../../../../platform/limits.ts";
import { slicesOf } from "../../../../platform/slices-by-size.ts";
import { catchUpNames, type NamesRead, type ReadDeps, type ReadRequest } from "./catch-up.ts";
import { waitingIn, type WaitingStatuses } from "./email-statuses.ts";
import { findUsers, type ReadKey } from "./find-users.ts";
import type { ProfileStore, StoredUser } from "../ports.ts";
import type { Profile } from "../profile/profile.ts";
import type { UserId } from "../record/user-key.ts";

export interface ExportedUsers {
  /** In the order of the request, each once. */
  readonly profiles: readonly Profile[];
  /** See renderUsers(). */
  readonly waiting: WaitingStatuses;
  /** Places in the request whose key finds no user. */
  readonly unknown: readonly number[];
  /** Not everything that was answered before is in: the wait was over, or a user's records are held back. */
  readonly behind: boolean;
}

/** Ends between two reads, with the reason of the signal, once no caller waits for the answer. */
export async function exportUsers(
  deps: ReadDeps,
  request: ReadRequest & { readonly users: readonly ReadKey[] },
): Promise<ExportedUsers> {
  const barrier = await catchUpNames(deps, request);
  const { found, stored, waiting, late } = await readUsers(deps, request, barrier);
  const profiles = new Map<UserId, Profile>();
  const unknown: number[] = [];
  for (const [index, ids] of found.entries()) {
    const present = ids.flatMap((id) => stored.get(id)?.profile ?? []);
    if (present.length === 0) unknown.push(index);
    for (const profile of present) profiles.set(profile.id, profile);
  }
  const isBlocked = [...stored.values()].some((user) => user.blocked);
  return { profiles: [...profiles.values()], waiting, unknown, behind: barrier.behind || late || isBlocked };
}

/** Names and profiles are two reads, with a wait between; where a user has gone meanwhile, both are read again. */
async function readUsers(
  { identities, profiles, applied }: ReadDeps,
  { workspaceId, users, signal }: ReadRequest & { readonly users: readonly ReadKey[] },
  barrier: NamesRead,
): Promise<{ found: readonly UserId[][]; stored: ReadonlyMap<UserId, StoredUser>; waiting: WaitingStatuses; late: boolean }> {
  const { end } = barrier;
  let late = false;
  for (let attempt = 1;; attempt += 1) {
    const before = applied.decidedThrough(end);
    const named = await findUsers(identities, workspaceId, users);
    const found = named.map((rows) => rows.map(({ id }) => id));
    signal?.throwIfAborted();
    const ids = [...new Set(found.flat())];
    if (!await barrier.waitUsers(ids)) late = true;
    signal?.throwIfAborted();
    const stored = await loadUsers(profiles, { workspaceId, signal }, ids);
    // A user who is gone by a record that is decided since went into another, whom the names mean once that is known
    const gone = [...stored.values()].filter((user) => user.profile === undefined);
    const goneAt = Math.max(0, ...gone.map(({ mark }) => mark?.[0] ?? 0));
    const isSame = goneAt <= before && applied.decidedThrough(end) === before;
    if (gone.length === 0 || isSame || attempt === attemptsMax) return { found, stored, waiting: waitingIn(named.flat()), late };
    if (goneAt > before && !await barrier.waitDecided(goneAt)) late = true;
  }
}

const attemptsMax = 3;

/** An address may be shared by many: they are read some at a time, so that reading stops for a client that has gone. */
async function loadUsers(
  profiles: ProfileStore,
  { workspaceId, signal }: { readonly workspaceId: string; readonly signal: AbortSignal | undefined },
  ids: readonly UserId[],
): Promise<ReadonlyMap<UserId, StoredUser>> {
  const found = new Map<UserId, StoredUser>();
  for (const some of slicesOf(ids, limits.exportUsersPerRead)) {
    for (const [id, user] of await profiles.loadUsers(workspaceId, some)) found.set(id, user);
    signal?.throwIfAborted();
  }
  return found;
}
