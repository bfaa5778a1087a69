/** `heddle log` over a data folder, whether or not a server runs on it: it does what is asked within a second, or when it starts. */
import type { ServiceImpl } from "@connectrpc/connect";
import type { ShownRecord } from "../../platform/lane/shown-record.ts";
import type { Database } from "../../platform/sqlite/database.ts";
import { limits } from "../../platform/limits.ts";
import type { LogService } from "../../proto/gen/heddle/log/v1/log_service_pb.ts";
import type { SetAsidePlace } from "./domain/ports.ts";
import { checkSkip, heldUsers, isRedrivable, type LogStatus, placeOf, statusMessage } from "./lanes/log-operator.ts";
import { type BlockedPlace, findSetAside, showRecord } from "./lanes/show-record.ts";
import { laneRows } from "./lanes/lane-message.ts";
import { openSqliteAsked } from "./store/sqlite-asked.ts";
import { openSqliteProfileStore } from "./store/sqlite.ts";

interface Redriven {
  readonly users: number;
  readonly records: number;
}

export interface LogOperation {
  status(): Promise<LogStatus>;
  /** The content of a record that waits. Refuses NOT_FOUND. */
  show(at: BlockedPlace | SetAsidePlace): Promise<ShownRecord>;
  /** How many held users, and how many records that were set aside, will be tried once more. */
  redrive(): Promise<Redriven>;
  /** Refuses NOT_FOUND and STATE_CONFLICT as heddle.log.v1 does. */
  skip(of: BlockedPlace): Promise<void>;
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
      return {
        lags: await Promise.all(lags),
        held: await heldUsers(profiles),
        setAside: await profiles.listSetAside(limits.heldRedriveMax),
      };
    },
    show: (at) => showRecord(profiles, at),
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
      findSetAside(await profiles.listSetAside(limits.heldRedriveMax), at);
      await steps.forgetSetAside(at);
      await asked.redrive();
    },
  };
}

/** heddle.log.v1 over a data folder, for the console of the one process that serves it. */
export function logService(operation: LogOperation): ServiceImpl<typeof LogService> {
  return {
    getStatus: async () => statusMessage(await operation.status()),
    showRecord: async (asked) => ({ record: await operation.show(placeOf(asked)) }),
    redrive: () => operation.redrive(),
    async skip(asked) {
      const place = placeOf(asked);
      if ("userId" in place) await operation.skip(place);
      else await operation.skipSetAside(place);
      return {};
    },
  };
}
