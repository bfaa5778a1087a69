/** `heddle log` over a data folder, whether or not a server runs on it: it does what is asked within a second, or when it starts. */
import type { Database } from "../../platform/sqlite/database.ts";
import { limits } from "../../platform/limits.ts";
import type { Mark } from "./domain/profile.ts";
import { checkSkip, type HeldRow, heldUsers } from "./lanes/log-operator.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { openSqliteAsked } from "./store/sqlite-asked.ts";
import { openSqliteProfileStore } from "./store/sqlite.ts";

export interface LogStatus {
  readonly lags: readonly { readonly lane: string; readonly records: number; readonly seconds?: number }[];
  readonly held: readonly HeldRow[];
  readonly setAside: readonly { readonly partition: number; readonly sequence: number; readonly reason: string }[];
}

export interface LogOperation {
  status(): Promise<LogStatus>;
  /** How many held users will be tried once more. */
  redrive(): Promise<number>;
  /** Refuses NOT_FOUND and STATE_CONFLICT as heddle.log.v1 does. */
  skip(of: { readonly workspaceId: string; readonly userId: string; readonly mark: Mark }): Promise<void>;
}

/** `tail` gives the end of the log. */
export async function openLogOperation(
  database: Database,
  { partitions, tail }: { readonly partitions: number; readonly tail: (partition: number) => Promise<number> },
): Promise<LogOperation> {
  const { profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const asked = await openSqliteAsked(database);
  return {
    async status() {
      const lags = Array.from({ length: partitions }, async (_, partition) => {
        const records = Math.max(0, await tail(partition) - await steps.checkpoint(partition));
        return { lane: `intake-${partition}`, records };
      });
      const setAside = await profiles.listSetAside(limits.heldRedriveMax);
      return { lags: await Promise.all(lags), held: await heldUsers(profiles), setAside };
    },
    async redrive() {
      const held = await profiles.listHeld(limits.heldRedriveMax);
      if (held.length > 0) await asked.redrive();
      return held.length;
    },
    async skip(of) {
      checkSkip((await profiles.loadHeld(of.workspaceId, [of.userId])).get(of.userId), of);
      await asked.skip(of);
    },
  };
}
