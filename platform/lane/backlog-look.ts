/** What waits for a human, looked at now and then: so that readiness and metrics can say it without asking the store for every caller. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { LaneBacklog } from "../telemetry/work-metrics.ts";

export interface BacklogLook<Backlog extends LaneBacklog> {
  /** As the last look saw it; rejects where that failed. */
  backlog(): Promise<Backlog>;
  /** In words; undefined where nothing waits, as far as the last look that did not fail saw. */
  reason(): string | undefined;
  /** This process wrote or took away something that waits: it looks again soon. */
  changed(): void;
  close(): void;
}

/**
 * A look costs a read of each partition of the lists. So it looks every `backlogLookMs` while something waits or was changed, and every
 * `backlogLookIdleMs` otherwise: by then what another process wrote is seen.
 */
export function openBacklogLook<Backlog extends LaneBacklog>(read: () => Promise<Backlog>, clock: Clock): BacklogLook<Backlog> {
  let seen: string | undefined;
  let cancel: (() => void) | undefined;
  let [isChanged, isClosed, isLooking] = [false, false, false];
  let last = begin();

  function begin(): Promise<Backlog> {
    const looking = look();
    // Callers of backlog() get the error; there may be none
    looking.catch(() => {});
    return looking;
  }
  async function look(): Promise<Backlog> {
    [isChanged, isLooking] = [false, true];
    try {
      const backlog = await read();
      const { blockedUsers = 0, deadLetters } = backlog;
      const parts = [blockedUsers > 0 && `Blocked users: ${blockedUsers}`, deadLetters > 0 && `dead letters: ${deadLetters}`];
      seen = parts.filter((part) => part !== false).join(", ") || undefined;
      return backlog;
    } finally {
      isLooking = false;
      lookLater();
    }
  }
  function lookLater(): void {
    cancel?.();
    if (isClosed) return;
    cancel = clock.after(isChanged || seen !== undefined ? limits.backlogLookMs : limits.backlogLookIdleMs, () => {
      last = begin();
    });
  }
  return {
    backlog: () => last,
    reason: () => seen,
    changed() {
      if (isChanged) return;
      isChanged = true;
      if (!isLooking) lookLater();
    },
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}
