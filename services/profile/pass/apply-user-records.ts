/** Applies the resolver's records in their order: each user's own, and the two-sided ones of merges. */
import { type MergeRecord, withRecords } from "../domain/apply-merge.ts";
import { isAfter } from "../domain/apply-records.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import { deleteUser } from "./delete-user.ts";
import { holdRecord, holdUser, type PureSteps, pushTo, type WorkingUser, workingUser, type WorkspaceWork } from "./workspace-work.ts";

/**
 * One traversal. A user whose pure step throws lands in `work.found` and is passed over from there on; its profile may
 * be half changed then, so the step has to be done again from stored rows with what was found as `poison`.
 */
export function applyUserRecords(work: WorkspaceWork, steps: PureSteps, records: readonly ProfileRecord[]): void {
  for (const record of records) applyUserRecord(work, steps, record);
}

function applyUserRecord(work: WorkspaceWork, steps: PureSteps, record: ProfileRecord): void {
  const user = workingUser(work, record.userId);
  if (record.change.type === "delete") {
    work.told.push(record);
    return deleteUser(work, record.userId);
  }
  if (work.poison.size > 0) holdPoisoned(work, record);
  if (user.held) return holdWithPartner(work, record);
  if (work.found.has(record.userId)) return;
  try {
    applyFree(work, steps, record);
  } catch (error) {
    blame(work, record, error);
  }
}

function holdPoisoned(work: WorkspaceWork, record: ProfileRecord): void {
  const poison = work.poison.get(record.userId);
  if (poison !== undefined && !isAfter(poison.mark, record.mark)) holdUser(work, record.userId, poison.reason);
}

/** The source of a merge that a held target takes back has to wait too: its next records presume that it is there. */
function holdWithPartner(work: WorkspaceWork, record: ProfileRecord): void {
  holdRecord(work, record, "");
  if (record.change.type === "undo") holdUser(work, record.change.sourceId, `Waits for user ${record.userId}`);
}

function blame(work: WorkspaceWork, record: ProfileRecord, error: unknown): void {
  const reason = error instanceof Error ? error.message : String(error);
  work.found.set(record.userId, { mark: record.mark, reason });
  if (record.change.type !== "await") return;
  const handoff = work.handoffs.get(record.change.mergeId);
  if (handoff !== undefined) work.found.set(handoff.userId, { mark: handoff.mark, reason: `Waits for user ${record.userId}` });
}

function applyFree(work: WorkspaceWork, steps: PureSteps, record: ProfileRecord): void {
  switch (record.change.type) {
    case "handoff":
      return handOff(work, record, record.change.targetId);
    case "await":
      return takeInSource(work, steps, record as MergeRecord<"await">);
    case "undo":
      return takeBackSource(work, steps, record as MergeRecord<"undo">);
    default:
      return applyOwn(work, steps, record);
  }
}

function applyOwn(work: WorkspaceWork, steps: PureSteps, record: ProfileRecord): void {
  const user = workingUser(work, record.userId);
  user.profile = steps.applyRecord(user.profile, record) ?? undefined;
  user.touched = true;
  work.told.push(record);
  journalRecord(work, user, record);
}

/** Merges of a user are taken back newest first, so the newest journal alone takes the record, and passes it on later. */
function journalRecord(work: WorkspaceWork, user: WorkingUser, record: ProfileRecord): void {
  const newest = user.openMerges.at(-1);
  if (newest !== undefined) pushTo(work.journal, newest, record);
}

function handOff(work: WorkspaceWork, record: ProfileRecord, targetId: string): void {
  const target = workingUser(work, targetId);
  if (target.held) return holdRecord(work, record, `Waits for user ${targetId}`);
  if (work.found.has(targetId)) return;
  const { change } = record;
  if (change.type === "handoff") work.handoffs.set(change.mergeId, record);
  work.told.push(record);
}

function takeInSource(work: WorkspaceWork, steps: PureSteps, record: MergeRecord<"await">): void {
  const { mergeId, sourceId, undoUntil } = record.change;
  const target = workingUser(work, record.userId);
  const source = workingUser(work, sourceId);
  if (work.found.has(sourceId)) return;
  if (!work.handoffs.has(mergeId)) return holdRecord(work, record, `Waits for user ${sourceId}`);
  if (source.profile === undefined || target.profile === undefined) {
    throw new Error(`Expected both sides of merge ${mergeId} to exist, got ${source.profile ? "no target" : "no source"}`);
  }
  const sides = { source: source.profile, target: target.profile };
  const frozen = undoUntil > 0 ? steps.freeze(sides, record) : undefined;
  target.profile = steps.takeIn(sides.target, sides.source, record);
  source.profile = undefined;
  source.touched = true;
  target.touched = true;
  work.told.push(record);
  if (frozen === undefined) return;
  work.frozen.set(mergeId, frozen);
  target.openMerges = [...target.openMerges, mergeId];
}

function takeBackSource(work: WorkspaceWork, steps: PureSteps, record: MergeRecord<"undo">): void {
  const { mergeId, sourceId } = record.change;
  const frozen = work.frozen.get(mergeId) ?? work.loadedFrozen.get(mergeId);
  if (frozen === undefined) throw new Error(`Expected the frozen copies of merge ${mergeId}, got nothing`);
  const whole = withRecords(frozen, work.journal.get(mergeId) ?? []);
  const taken = steps.takeBack(whole, record);
  const target = workingUser(work, record.userId);
  const source = workingUser(work, sourceId);
  target.profile = taken.target;
  source.profile = taken.source;
  target.touched = true;
  source.touched = true;
  target.openMerges = target.openMerges.filter((open) => open !== mergeId);
  work.told.push(record);
  work.frozen.set(mergeId, null);
  work.journal.delete(mergeId);
  for (const own of taken.sourceRecords) journalRecord(work, source, own);
  for (const own of taken.targetRecords) journalRecord(work, target, own);
}
