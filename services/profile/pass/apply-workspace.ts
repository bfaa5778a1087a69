/** Applies what one step's records do to a workspace's users: loads them, applies, and starts again around poison. */
import type { HeldUser, ProfileStore, WorkspaceStep } from "../domain/ports.ts";
import { halved } from "../../../platform/lane/halve.ts";
import { reasonOf } from "../../../platform/lane/hold-back.ts";
import type { Mark, Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { ResolvedRecord } from "../domain/resolve-batch.ts";
import type { UserId } from "../domain/user-key.ts";
import { applyUserRecords } from "./apply-user-records.ts";
import { forgetMerge, sourcesAwaited } from "./delete-user.ts";
import type { UserCache } from "./user-cache.ts";
import { beginWork, holdUser, type Poison, type PureSteps, toWorking, type WorkingUser, type WorkspaceWork } from "./workspace-work.ts";

export interface ApplyParts {
  readonly steps: PureSteps;
  readonly profiles: ProfileStore;
  readonly cache: UserCache;
}

/** The records of one log record, with the merges that end with it. */
export type Effects = Pick<ResolvedRecord, "profiles" | "forgetFrozen">;

/** What of a step's rows comes from applying; identities and consent come from resolving. */
type AppliedWork = Pick<WorkspaceStep, "profiles" | "frozen" | "journal" | "held" | "heldMore" | "told">;

export interface AppliedWorkspace {
  readonly rows: AppliedWork;
  readonly users: ReadonlyMap<UserId, WorkingUser>;
  /** Users that this step began to hold. */
  readonly poison: ReadonlyMap<UserId, Poison>;
}

export interface ApplyOptions {
  /** Users that were held, and whose records are given again here to be tried once more. */
  readonly released?: readonly UserId[];
  /** Users whose records have to wait, and why. */
  readonly blamed?: ReadonlyMap<UserId, string>;
}

export async function applyWorkspace(
  workspaceId: string,
  effects: readonly Effects[],
  parts: ApplyParts & ApplyOptions,
): Promise<AppliedWorkspace> {
  const poison = new Map<UserId, Poison>(
    Array.from(parts.blamed ?? [], ([id, reason]) => [id, { mark: firstMarkOf(effects, id), reason }]),
  );
  for (;;) {
    const work = beginWork(await loadFor(workspaceId, effects, parts), poison);
    for (const [id, { unreadable, held }] of work.users) {
      if (unreadable === undefined || held) continue;
      poison.set(id, { mark: firstMarkOf(effects, id), reason: unreadable });
      holdUser(work, id, unreadable);
    }
    for (const id of parts.released ?? []) release(work, id);
    for (const one of effects) {
      applyUserRecords(work, parts.steps, one.profiles);
      for (const mergeId of one.forgetFrozen) forgetMerge(work, mergeId);
    }
    if (work.found.size === 0) return { rows: rowsOf(work), users: work.users, poison };
    for (const [id, found] of work.found) poison.set(id, found);
    for (const id of work.users.keys()) parts.cache.delete(workspaceId, id);
  }
}

function firstMarkOf(effects: readonly Effects[], id: UserId): Mark {
  return effects.flatMap(({ profiles }) => profiles).find(({ userId }) => userId === id)?.mark ?? [0, 0];
}

function release(work: WorkspaceWork, id: UserId): void {
  const user = work.users.get(id);
  if (user === undefined || user.unreadable !== undefined) return;
  user.held = false;
  work.held.set(id, null);
}

function rowsOf(work: WorkspaceWork): AppliedWork {
  const profiles = new Map<UserId, Profile | null>();
  for (const [id, user] of work.users) {
    if (user.touched) profiles.set(id, user.profile ?? null);
  }
  return { profiles, frozen: work.frozen, journal: work.journal, held: work.held, heldMore: work.heldMore, told: work.told };
}

async function loadFor(
  workspaceId: string,
  effects: readonly Effects[],
  { profiles, cache }: ApplyParts,
): Promise<Pick<WorkspaceWork, "users" | "loadedFrozen" | "loadedHeld">> {
  const users = new Map<UserId, WorkingUser>();
  const { ids, undone, deleted } = namedIn(effects);
  await loadUsers(workspaceId, ids, { users, profiles, cache });
  const loadedFrozen = undone.length === 0 ? new Map() : await profiles.loadFrozen(workspaceId, undone);
  const loadedHeld = new Map<UserId, HeldUser>();
  let ending = deleted.filter((id) => users.get(id)?.held);
  while (ending.length > 0) {
    const held = await profiles.loadHeld(workspaceId, ending);
    for (const [id, user] of held) loadedHeld.set(id, user);
    ending = [...held.values()].flatMap((user) => sourcesAwaited(user.records)).filter((id) => !loadedHeld.has(id));
    await loadUsers(workspaceId, ending, { users, profiles, cache });
  }
  return { users, loadedFrozen, loadedHeld };
}

/** Who and what the records speak of. */
function namedIn(effects: readonly Effects[]): { ids: Set<UserId>; undone: string[]; deleted: UserId[] } {
  const ids = new Set<UserId>();
  const undone: string[] = [];
  const deleted: UserId[] = [];
  for (const { profiles } of effects) {
    for (const record of profiles) {
      ids.add(record.userId);
      addPartner(record, { ids, undone, deleted });
    }
  }
  return { ids, undone, deleted };
}

function addPartner({ userId, change }: ProfileRecord, to: { ids: Set<UserId>; undone: string[]; deleted: UserId[] }): void {
  switch (change.type) {
    case "handoff":
      to.ids.add(change.targetId);
      return;
    case "await":
      to.ids.add(change.sourceId);
      return;
    case "undo":
      to.ids.add(change.sourceId);
      to.undone.push(change.mergeId);
      return;
    case "delete":
      to.deleted.push(userId);
      return;
  }
}

async function loadUsers(
  workspaceId: string,
  ids: Iterable<UserId>,
  { users, profiles, cache }: { users: Map<UserId, WorkingUser> } & Pick<ApplyParts, "profiles" | "cache">,
): Promise<void> {
  const missing: UserId[] = [];
  for (const id of ids) {
    const cached = cache.get(workspaceId, id);
    if (cached === undefined) missing.push(id);
    else users.set(id, toWorking(cached));
  }
  if (missing.length === 0) return;
  await halved(missing, {
    async work(some) {
      for (const [id, user] of await profiles.loadUsers(workspaceId, some)) users.set(id, toWorking(user));
    },
    async alone(id, error) {
      const held = (await profiles.loadHeld(workspaceId, [id])).has(id);
      users.set(id, { profile: undefined, rowChars: 0, held, openMerges: [], touched: false, unreadable: reasonOf(error) });
    },
  });
}
