/** Erases the frozen copies and journals of merges whose undo window is over. */
import type { Clock } from "../../../platform/clock.ts";
import { limits } from "../../../platform/limits.ts";
import type { ProfileStore, Step, WorkspaceStep } from "../domain/ports.ts";

/** A step that leaves the checkpoint where it is; undefined where nothing is over. */
export async function planSweep(
  parts: {
    readonly partition: number;
    readonly profiles: ProfileStore;
    readonly clock: Clock;
    readonly owns: (workspaceId: string) => boolean;
  },
  position: number,
): Promise<Step | undefined> {
  // An undo that is in the log already was decided by an earlier now: it may still come
  const over = parts.clock.now() - limits.frozenGraceMs;
  const expired = (await parts.profiles.listExpired(over, limits.frozenSweepMax)).filter((one) => parts.owns(one.workspaceId));
  if (expired.length === 0) return undefined;
  const byWorkspace = new Map<string, string[]>();
  for (const { workspaceId, mergeId } of expired) {
    byWorkspace.set(workspaceId, [...(byWorkspace.get(workspaceId) ?? []), mergeId]);
  }
  const workspaces = [...byWorkspace].map(([workspaceId, mergeIds]) => forgetting(workspaceId, mergeIds));
  return { partition: parts.partition, through: position, workspaces, setAside: [] };
}

function forgetting(workspaceId: string, mergeIds: readonly string[]): WorkspaceStep {
  return {
    workspaceId,
    identities: new Map(),
    profiles: new Map(),
    frozen: new Map(mergeIds.map((id) => [id, null])),
    journal: new Map(),
    held: new Map(),
    heldMore: new Map(),
    consent: [],
  };
}
