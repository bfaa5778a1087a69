/** Sides of merges that can no longer be undone are forgotten: what a user was before is kept no longer than it is of use. */
import { createBoundedNow } from "../../platform/bounded-now.ts";
import type { Clock } from "../../platform/clock.ts";
import { limits } from "../../platform/limits.ts";
import type { Logger } from "../../platform/logger.ts";
import { repeatedly } from "../../platform/repeatedly.ts";
import { closeOverMerges, type UserId } from "./domain/memberships.ts";
import type { MembershipStore } from "./domain/ports.ts";

export interface SweepDeps {
  readonly store: Pick<MembershipStore, "sweep">;
  /** As soon as what the lane holds now is applied of these users; false where that takes too long. */
  readonly isApplied: (workspaceId: string, users: readonly UserId[]) => Promise<boolean>;
  readonly isBlocked: (workspaceId: string, users: readonly UserId[]) => Promise<boolean>;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Again `frozenSweepMs` after each sweep, and soon after one that left some over; the returned function stops it. An undo is decided in its window, and its record may be behind
 * for longer than any grace, in the lane or as one that waits for a human: its user is passed over until then.
 */
export function sweepRegularly(deps: SweepDeps): () => void {
  const { clock, logger } = deps;
  const bounded = createBoundedNow(clock);
  bounded.after(0);
  return repeatedly(clock, limits.frozenSweepMs, async () => {
    try {
      const swept = await sweepOnce(deps, bounded.after(0) - limits.frozenGraceMs);
      return swept < limits.frozenSweepMax ? limits.frozenSweepMs : limits.frozenSweepRestMs;
    } catch (error) {
      logger.error("membership_sweep_failed", error);
      return limits.frozenSweepMs;
    }
  });
}

async function sweepOnce({ store, isApplied, isBlocked }: SweepDeps, over: number): Promise<number> {
  /** Each of their users would be waited for in vain: all memberships of a workspace are in one lane. */
  const behind = new Set<string>();
  async function isFree(workspaceId: string, userId: UserId): Promise<boolean> {
    if (behind.has(workspaceId)) return false;
    if (await isApplied(workspaceId, [userId])) return !await isBlocked(workspaceId, [userId]);
    behind.add(workspaceId);
    return false;
  }
  return await store.sweep({ now: over, max: limits.frozenSweepMax }, { isFree, change: (user) => closeOverMerges(user, over) });
}
