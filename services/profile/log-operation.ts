/** `heddle log` over a data folder, whether or not a server runs on it: it does what is asked within a second, or when it starts. */
import type { Database } from "../../platform/sqlite/database.ts";
import { limits } from "../../platform/limits.ts";
import type { SetAsidePlace } from "./domain/ports.ts";
import type { Mark } from "./domain/profile.ts";
import { checkSetAside, checkSkip, type HeldRow, heldUsers, isRedrivable } from "./lanes/log-operator.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { openSqliteAsked } from "./store/sqlite-asked.ts";
import { openSqliteProfileStore } from "./store/sqlite.ts";

interface LogStatus {
  readonly lags: readonly { readonly lane: string; readonly records: number; readonly seconds?: number }[];
  readonly held: readonly HeldRow[];
  readonly setAside: readonly { readonly partition: number; readonly sequence: number; readonly reason: string }[];
}

interface Redriven {
  readonly users: number;
  readonly records: number;
}

export interface LogOperation {
  status(): Promise<LogStatus>;
  /** How many held users, and how many records that were set aside, will be tried once more. */
  redrive(): Promise<Redriven>;
  /** Refuses NOT_FOUND and STATE_CONFLICT as heddle.log.v1 does. */
  skip(of: { readonly workspaceId: string; readonly userId: string; readonly mark: Mark }): Promise<void>;
  /** Gives up a record that was set aside. Refuses NOT_FOUND. */
  skipSetAside(at: SetAsidePlace): Promise<void>;
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
      const users = (await profiles.listHeld(limits.heldRedriveMax)).length;
      const records = (await profiles.listSetAside(limits.heldRedriveMax)).filter(isRedrivable).length;
      if (users + records > 0) await asked.redrive();
      return { users, records };
    },
    async skip(of) {
      checkSkip((await profiles.loadHeld(of.workspaceId, [of.userId])).get(of.userId), of);
      await asked.skip(of);
    },
    async skipSetAside(at) {
      checkSetAside(await profiles.listSetAside(limits.heldRedriveMax), at);
      await steps.forgetSetAside(at);
      await asked.redrive();
    },
  };
}
