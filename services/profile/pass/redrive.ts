/** Tries the records of held users once more: after a start they meet newer code, on demand a mended cause. */
import { limits } from "../../../platform/limits.ts";
import type { WorkspaceStep } from "../domain/ports.ts";
import type { Mark } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { UserId } from "../domain/user-key.ts";
import { applyWorkspace } from "./apply-workspace.ts";
import type { PlannedStep, PlannedWorkspace, PlanParts } from "./plan-step.ts";

/** A step that leaves the checkpoint where it is; undefined where nobody is held. */
export async function planRedrive(
  parts: PlanParts & { readonly owns: (workspaceId: string) => boolean },
  position: number,
): Promise<PlannedStep | undefined> {
  const byWorkspace = new Map<string, UserId[]>();
  for (const { workspaceId, userId } of await parts.profiles.listHeld(limits.heldRedriveMax)) {
    if (parts.owns(workspaceId)) byWorkspace.set(workspaceId, [...(byWorkspace.get(workspaceId) ?? []), userId]);
  }
  if (byWorkspace.size === 0) return undefined;
  const steps: WorkspaceStep[] = [];
  const workspaces: PlannedWorkspace[] = [];
  for (const [workspaceId, released] of byWorkspace) {
    const held = await parts.profiles.loadHeld(workspaceId, released);
    const profiles = [...held.values()].flatMap((user) => user.records).sort(byMark);
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
