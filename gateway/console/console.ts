/** What the console asks of the gateway itself: its counts, and how full the workspace's limits are. */
import type { Health } from "../health.ts";
import type { Spending } from "../guards/spend.ts";
import { fillOf, type LimitFill } from "../guards/limit-fill.ts";
import type { KeyHolder } from "../access/access.ts";
import type { Activity, WorkspaceActivity } from "./activity.ts";

/** The port through which the routes of the console reach the gateway. Everything is of the holder's own workspace. */
export interface Console {
  activity(holder: KeyHolder): WorkspaceActivity;
  limits(holder: KeyHolder): Promise<readonly LimitFill[]>;
  health(): Health;
}

export function openConsole(parts: Spending & { readonly activity: Activity; readonly health: () => Health }): Console {
  return {
    activity: ({ workspace }) => parts.activity.of(workspace.id),
    limits: (holder) => fillOf(holder, parts),
    health: parts.health,
  };
}
