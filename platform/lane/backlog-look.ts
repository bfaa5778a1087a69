/** What waits for a human, looked at now and then: so that /readyz can name it without asking the store for every caller. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { LaneWork } from "../telemetry/work-metrics.ts";

export interface BacklogLook {
  /** In words; undefined where nothing waits, as far as the last look saw. */
  reason(): string | undefined;
  close(): void;
}

export function openBacklogLook(backlog: LaneWork["backlog"], clock: Clock): BacklogLook {
  let seen: string | undefined;
  let cancel: (() => void) | undefined;
  let isClosed = false;
  async function look(): Promise<void> {
    try {
      const { heldUsers = 0, setAside } = await backlog();
      const parts = [heldUsers > 0 && `Held users: ${heldUsers}`, setAside > 0 && `records set aside: ${setAside}`];
      seen = parts.filter((part) => part !== false).join(", ") || undefined;
    } catch {
      // The store is away, which readiness names by itself
    }
    if (!isClosed) cancel = clock.after(limits.backlogLookMs, () => void look());
  }
  void look();
  return {
    reason: () => seen,
    close() {
      isClosed = true;
      cancel?.();
    },
  };
}
