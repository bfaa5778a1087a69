/** Who is rejected, as one process knows it: read from the store again and again, so that no request waits for it. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/logger.ts";
import type { ProfileStore, RejectedUser } from "../domain/ports.ts";
import { rejectedKeys, type RejectedUsers } from "../domain/profile/rejection.ts";
import { nameOf } from "../domain/record/user-key.ts";

export interface RejectedLook extends RejectedUsers {
  close(): void;
}

/**
 * Looks every `rejectedLookMs`, more rarely where a look takes long: a tenth of the time at most. A look that fails leaves what was
 * known. Resolves behind the first, so that a process which takes requests knows who is rejected.
 */
export async function lookForRejected(
  { profiles, clock, logger }: { readonly profiles: Pick<ProfileStore, "listRejected">; readonly clock: Clock; readonly logger: Logger },
): Promise<RejectedLook> {
  let known: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  let [failures, isFull, isClosed] = [0, false, false];
  let cancel: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  let next: Promise<void> | undefined;

  async function read(): Promise<void> {
    try {
      const users = await profiles.listRejected(limits.rejectedUsersMax);
      known = namesByWorkspace(users);
      const isFullNow = users.length >= limits.rejectedUsersMax;
      if (isFullNow && !isFull) logger.warn("rejected_users_full", { users: users.length });
      [failures, isFull] = [0, isFullNow];
    } catch (error) {
      failures += 1;
      // The store's own watch reports that it is away
      if (failures === 1) logger.error("rejected_users_not_read", error);
    }
  }

  function look(): Promise<void> {
    cancel?.();
    const began = clock.monotonic();
    looking = read().finally(() => {
      looking = undefined;
      if (isClosed) return;
      cancel = clock.after(Math.max(limits.rejectedLookMs, 9 * (clock.monotonic() - began)), () => void look());
    });
    return looking;
  }

  await look();
  return {
    namesIn: (workspaceId) => known.get(workspaceId),
    look() {
      // One that is under way may have read before the call
      next ??= Promise.resolve(looking).then(() => {
        next = undefined;
        return look();
      });
      return next;
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}

function namesByWorkspace(users: readonly RejectedUser[]): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  for (const user of users) {
    const own = names.get(user.workspaceId) ?? new Set();
    names.set(user.workspaceId, own);
    for (const key of rejectedKeys(user)) own.add(nameOf(key));
  }
  return names;
}
