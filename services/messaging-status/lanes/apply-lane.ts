/** Applies records of the lane in the embedded shape: loads the addresses, applies, chains the ledger, and writes it all at once. */
import { createHolds, planAround } from "../../../platform/lane/hold-back.ts";
import { LaneChanged, type LaneRecord, type SetAside } from "../../../platform/lane/lane.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type TracedLane, tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import { takenFromRow } from "./lane-message.ts";
import { type PlanParts, planWorkspace, type WorkspaceStep } from "./plan-step.ts";

/** What a step writes, whole or not at all. */
export interface LaneStep {
  readonly workspaces: readonly WorkspaceStep[];
  /** Records that cannot be applied, and those that wait for them. */
  readonly setAside: readonly SetAside[];
  /** All that the step read; they leave the lane. */
  readonly taken: readonly LaneRecord[];
  /** By workspace, how many records were waiting when it was decided who is held. */
  readonly waiting?: ReadonlyMap<string, number>;
}

export interface ApplyParts extends PlanParts {
  readonly commit: (step: LaneStep) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

/** What waited was put back meanwhile: then the lane has to be read again, and nothing is done. */
export async function applyLane(parts: ApplyParts, taken: readonly LaneRecord[]): Promise<void> {
  const read = [...Map.groupBy(taken, ({ workspaceId }) => workspaceId)].map(([id, rows]) => [id, rows.flatMap(takenFromRow)] as const);
  const records = read.flatMap(([, all]) => all.flatMap(({ said }) => said ?? []));
  const setAside: SetAside[] = [];
  await tracedRecords(parts.traced, records, async (writing) => {
    const workspaces: WorkspaceStep[] = [];
    const waiting = new Map<string, number>();
    for (const [workspaceId, all] of read) {
      const held = await parts.waiting(workspaceId);
      waiting.set(workspaceId, held.length);
      const planned = await planAround(
        all,
        createHolds(held),
        (free, blame) => planWorkspace(parts, workspaceId, { records: free, blame }),
      );
      workspaces.push(planned.plan.step);
      setAside.push(...planned.setAside);
    }
    await writing(() => parts.commit({ workspaces, setAside, taken, waiting }));
  }).catch((error: unknown) => {
    if (!(error instanceof LaneChanged)) throw error;
    setAside.length = 0;
  });
  reportSetAside(parts.logger, setAside);
}

export function reportSetAside(logger: Logger, setAside: readonly SetAside[]): void {
  for (const { record: { workspaceId, sequence, part }, reason } of setAside) {
    logger.error("lane_record_set_aside", new Error(reason), { lane: "messaging-status", workspaceId, sequence, part });
  }
}
