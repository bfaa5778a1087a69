/** `heddle log` over a data folder, whether or not a server runs on it: it does what is asked within a second, or when it starts. */
import type { Database } from "../../platform/sqlite/database.ts";
import { lettersToAppend } from "./intake/redriven.ts";
import { type LogOperation, logOperation } from "./lanes/log-operator.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { openSqliteAsked } from "./store/sqlite-asked.ts";
import { openSqliteProfileStore } from "./store/sqlite.ts";

/** `tail` gives the end of the log. */
export async function openLogOperation(
  database: Database,
  { partitions, tail }: { readonly partitions: number; readonly tail: (partition: number) => Promise<number> },
): Promise<LogOperation> {
  const { profiles, steps } = await openSqliteProfileStore({ database, encodeLane: laneRows });
  const asked = await openSqliteAsked(database);
  return logOperation({
    profiles,
    lags: () =>
      Promise.all(Array.from({ length: partitions }, async (_, partition) => {
        const records = Math.max(0, await tail(partition) - await steps.checkpoint(partition));
        return { lane: `intake-${partition}`, records };
      })),
    async redrive() {
      let users = 0;
      for await (const blocked of profiles.allBlocked()) users += blocked.length;
      let records = 0;
      for await (const _ of lettersToAppend(profiles)) records += 1;
      if (users + records > 0) await asked.redrive();
      return { users, records };
    },
    skip: (of) => asked.skip(of),
    async skipSetAside(at) {
      await steps.forgetSetAside(at);
      await asked.recount();
    },
  });
}
