/** The intake log as the service's parts see it: which partition a workspace's order lives in, and where that ends. */
import { refuseEarlier } from "../../../platform/log/epoch.ts";
import type { AppendDeps } from "../../../platform/intake/intake.ts";
import type { Log } from "../../../platform/log/log.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import type { Intake } from "../domain/ports.ts";

export function createIntake(log: Log): Intake & Pick<AppendDeps, "log"> {
  return {
    log,
    refuseEarlier: ({ sequence }) => refuseEarlier(sequence, log.begins ?? 1),
    async tail(workspaceId) {
      const partition = partitionOf(workspaceId, log.partitions);
      return { partition, sequence: await log.tail(partition) };
    },
  };
}
