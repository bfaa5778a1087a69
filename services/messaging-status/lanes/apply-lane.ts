/** Applies records of the lane in the embedded shape: loads the addresses, applies, chains the ledger, and writes it all at once. */
import type { LaneRecord, SetAside } from "../../../platform/lane/lane.ts";
import type { Logger } from "../../../platform/logger.ts";
import { type TracedLane, tracedRecords } from "../../../platform/telemetry/traced-records.ts";
import { decodeAll, type PlanParts, planWorkspace, type WorkspaceStep } from "./plan-step.ts";

/** What a step writes, whole or not at all. */
export interface LaneStep {
  readonly workspaces: readonly WorkspaceStep[];
  /** Records that could not be read: kept, shown, and passed over. */
  readonly setAside: readonly SetAside[];
  /** All that the step read; they leave the lane. */
  readonly taken: readonly LaneRecord[];
}

export interface ApplyParts extends PlanParts {
  readonly commit: (step: LaneStep) => Promise<void>;
  readonly logger: Logger;
  readonly traced: TracedLane;
}

export async function applyLane(parts: ApplyParts, taken: readonly LaneRecord[]): Promise<void> {
  const setAside: SetAside[] = [];
  const decoded = decodeAll(taken, setAside);
  await tracedRecords(parts.traced, [...decoded.values()].flat(), async (writing) => {
    const workspaces: WorkspaceStep[] = [];
    for (const [workspaceId, records] of decoded) workspaces.push((await planWorkspace(parts, workspaceId, records)).step);
    await writing(() => parts.commit({ workspaces, setAside, taken }));
  });
  reportSetAside(parts.logger, setAside);
}

export function reportSetAside(logger: Logger, setAside: readonly SetAside[]): void {
  for (const { record: { workspaceId, sequence, part }, reason } of setAside) {
    logger.error("lane_record_set_aside", new Error(reason), { lane: "messaging-status", workspaceId, sequence, part });
  }
}
