/** Sides of merges that can no longer be undone are forgotten: what a user was before is kept no longer than it is of use. */
import { createBoundedNow } from "../../platform/bounded-now.ts";
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { closeOverMerges, type UserId, type UserMemberships } from "./domain/memberships.ts";
import type { MembershipStore } from "./domain/ports.ts";

export interface SweepParts {
  readonly store: Pick<MembershipStore, "sweep">;
  /** As soon as what the lane holds now is applied of these users; false where that takes too long. */
  readonly isApplied: (workspaceId: string, users: readonly UserId[]) => Promise<boolean>;
  readonly isBlocked: (workspaceId: string, users: readonly UserId[]) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Every `frozenSweepMs`; the returned function stops it. An undo is decided in its window, and its record may be behind for longer than
 * any grace, in the lane or as one that waits for a human: its user is passed over until then.
 */
export function sweepRegularly({ store, isApplied, isBlocked, clock, logger }: SweepParts): () => void {
  const bounded = createBoundedNow(clock);
  bounded.after(0);
  let cancel = clock.after(limits.frozenSweepMs, sweep);
  function sweep(): void {
    const over = bounded.after(0) - limits.frozenGraceMs;
    const sweeping = {
      isFree: async (workspaceId: string, userId: UserId) =>
        await isApplied(workspaceId, [userId]) && !await isBlocked(workspaceId, [userId]),
      change: (user: UserMemberships) => closeOverMerges(user, over),
    };
    store.sweep({ now: over, max: limits.frozenSweepMax }, sweeping)
      .catch((error: unknown) => logger.error("membership_sweep_failed", error));
    cancel = clock.after(limits.frozenSweepMs, sweep);
  }
  return () => cancel();
}
