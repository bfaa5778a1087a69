/** Tries the records of held users once more: after a start they meet newer code, on demand a mended cause. */
import { limits } from "../../../platform/limits.ts";
import type { HeldEntry, WorkspaceStep } from "../domain/ports.ts";
import type { Mark } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import { applyWorkspace } from "./apply-workspace.ts";
import type { PlannedStep, PlannedWorkspace, PlanParts } from "./plan-step.ts";

/** Up to `heldRedriveMax` held users of the partition. */
export async function heldOf(
  { profiles, owns }: Pick<PlanParts, "profiles"> & { readonly owns: (workspaceId: string) => boolean },
): Promise<HeldEntry[]> {
  return (await profiles.listHeld(limits.heldRedriveMax)).filter(({ workspaceId }) => owns(workspaceId));
}

/** A step that leaves the checkpoint where it is. */
export async function planRedrive(parts: PlanParts, users: readonly HeldEntry[], position: number): Promise<PlannedStep> {
  const byWorkspace = Map.groupBy(users, ({ workspaceId }) => workspaceId);
  const steps: WorkspaceStep[] = [];
  const workspaces: PlannedWorkspace[] = [];
  for (const [workspaceId, held] of byWorkspace) {
    const released = held.map(({ userId }) => userId);
    const waiting = await parts.profiles.loadHeld(workspaceId, released);
    const profiles = [...waiting.values()].flatMap((user) => user.records).sort(byMark);
    const { rows, users, poison } = await applyWorkspace(workspaceId, [{ profiles, forgetFrozen: [] }], { ...parts, released });
    steps.push({ workspaceId, identities: new Map(), consent: [], ...rows });
    workspaces.push({ view: parts.views.of(workspaceId), users, poison });
  }
  return { step: { partition: parts.partition, through: position, workspaces: steps, setAside: [] }, outcomes: [], traces: [], workspaces };
}

/** The resolver's order over all users of a workspace, so that the two sides of a merge meet as they were meant to. */
function byMark({ mark: a }: ProfileRecord, { mark: b }: ProfileRecord): number {
  return compareMarks(a, b);
}

function compareMarks(a: Mark, b: Mark): number {
  return a[0] - b[0] || a[1] - b[1];
}
