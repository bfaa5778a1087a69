/** What reads ask of records that wait for a human: what a read shows of those it is about is then older than what was answered. */
import type { Clock } from "../../../platform/clock.ts";
import { openCache } from "../../../platform/cache.ts";
import { limits } from "../../../platform/limits.ts";
import type { Waiting } from "../../../platform/lane/hold-back.ts";

/** True where a record waits that changes one of these users or addresses; of "all", where any record of the workspace waits. */
export type IsBlocked = (workspaceId: string, keys: readonly string[] | "all") => Promise<boolean>;

export interface BlockedDeps {
  /** What waits of one workspace. */
  readonly waiting: (workspaceId: string) => Promise<readonly Waiting[]>;
  readonly clock: Clock;
  /** How old what was seen may be, in milliseconds; 0: every read looks. */
  readonly keepMs: number;
}

/** Reads of one workspace share a look: a lane in which very much waits costs one look in `keepMs`, however many read. */
export function openBlocked({ waiting, clock, keepMs }: BlockedDeps): IsBlocked {
  const looks = openCache<Look>({ entriesMax: limits.heldLooksMax, sizeMax: limits.heldLooksMax });

  function lookAt(workspaceId: string): Look {
    const known = looks.get(workspaceId);
    if (known !== undefined && clock.monotonic() < known.until) return known;
    const look: Look = { until: clock.monotonic() + keepMs, seen: waiting(workspaceId).then(seenIn) };
    looks.put(workspaceId, look, 1);
    look.seen.catch(() => {
      look.until = 0;
    });
    return look;
  }

  return async (workspaceId, keys) => {
    const { any, names } = await lookAt(workspaceId).seen;
    return any && (keys === "all" || keys.some((key) => names.has(key)));
  };
}

interface Look {
  /** Of the monotonic clock. */
  until: number;
  readonly seen: Promise<{ readonly any: boolean; readonly names: ReadonlySet<string> }>;
}

function seenIn(records: readonly Waiting[]) {
  return { any: records.length > 0, names: new Set(records.flatMap(({ keys }) => keys)) };
}
