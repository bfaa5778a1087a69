/** What goes with a deleted user: its profile, held records, and the frozen copies and journals of its open merges. */
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { UserId } from "../domain/user-key.ts";
import type { WorkspaceWork } from "./workspace-work.ts";

/** A source that waits for a held target has no name of its own left: it goes with the target. */
export function deleteUser(work: WorkspaceWork, id: UserId): void {
  const user = work.users.get(id);
  if (user === undefined) return;
  const { openMerges, held } = user;
  const waiting = held ? sourcesAwaited(heldRecords(work, id)) : [];
  user.profile = undefined;
  user.touched = true;
  user.openMerges = [];
  user.held = false;
  if (held) {
    work.held.set(id, null);
    work.heldMore.delete(id);
  }
  for (const mergeId of openMerges) forgetMerge(work, mergeId);
  for (const sourceId of waiting) deleteUser(work, sourceId);
}

/** Erases the frozen copies and the journal of a merge that can no longer be taken back. */
export function forgetMerge(work: WorkspaceWork, mergeId: string): void {
  work.frozen.set(mergeId, null);
  work.journal.delete(mergeId);
  for (const user of work.users.values()) {
    if (user.openMerges.includes(mergeId)) user.openMerges = user.openMerges.filter((open) => open !== mergeId);
  }
}

/** The users whose end comes with that of the records' user. */
export function sourcesAwaited(records: readonly ProfileRecord[]): UserId[] {
  return records.flatMap(({ change }) => (change.type === "await" ? [change.sourceId] : []));
}

function heldRecords(work: WorkspaceWork, id: UserId): ProfileRecord[] {
  const begun = work.held.get(id)?.records ?? work.loadedHeld.get(id)?.records ?? [];
  return [...begun, ...(work.heldMore.get(id) ?? [])];
}
