/**
 * What an applier has left to do once a user's state is saved: notify the partner of a merge, and erase copies that are no
 * longer needed. Effects follow from the record alone and are harmless to do twice, so an applier that finds a record already
 * in the state does them again.
 */
import type { PublishedEvent } from "../../../platform/events/events.ts";
import type { Announcement } from "../domain/resolve/lane-item.ts";
import type { ProfileWriter } from "../domain/ports.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";
import type { Publish } from "../events/lingering.ts";
import { isPast, type LaneUser } from "./lane-user.ts";

export class Effects {
  readonly announce: Announcement[] = [];
  /** Merges whose handed-off source was taken in. */
  readonly handoffs: string[] = [];
  /** Merges whose copies are no longer needed. */
  readonly merges: string[] = [];
  /** Records to publish events of. */
  readonly records: ProfileRecord[] = [];
}

export function addEffects({ announce, handoffs, merges, records }: Effects, record: ProfileRecord): void {
  const { change, mark } = record;
  records.push(record);
  switch (change.type) {
    case "handoff":
      announce.push({ type: "announce", userId: change.targetId, mergeId: change.mergeId, what: "frozen", mark });
      return;
    case "undo":
      announce.push({ type: "announce", userId: change.sourceId, mergeId: change.mergeId, what: "undone", mark });
      return;
    case "await":
      handoffs.push(change.mergeId);
      return;
    case "restore":
    case "forget":
      merges.push(change.mergeId);
  }
}

/**
 * An announcement to a user who is past the record that awaits it is a repeat, or comes to a user who is gone. The
 * target's await comes right after the source's handoff in the order of all records; the two of an undo share a mark.
 */
export function addEffectsOfAnnouncement({ handoffs, merges }: Effects, user: LaneUser, { mergeId, what, mark }: Announcement): void {
  if (what === "undone") {
    if (isPast(user, mark)) merges.push(mergeId);
  } else if (isPast(user, [mark[0], mark[1] + 1])) handoffs.push(mergeId);
}

export interface EffectDeps {
  readonly profiles: Pick<ProfileWriter, "forgetHandoffs" | "forgetMerges">;
  /** Resolves when the user's applier will receive it, behind everything before. */
  readonly announce: (workspaceId: string, item: Announcement) => Promise<void>;
  /** The events of these records of a workspace. */
  readonly eventsOf: (workspaceId: string, records: readonly ProfileRecord[]) => readonly PublishedEvent[];
  /** Resolves when these events, and all before, can be received. */
  readonly publish: Publish;
}

/**
 * Throws as the log and the store do; then all of them are done again. Of events only an announcement waits, which goes out behind
 * that of the record it follows: what waits for them else is the lane's position.
 */
export async function runEffects(
  deps: EffectDeps,
  workspaceId: string,
  { announce, handoffs, merges, records }: Effects,
): Promise<void> {
  if (handoffs.length > 0) await deps.profiles.forgetHandoffs(workspaceId, handoffs);
  if (merges.length > 0) await deps.profiles.forgetMerges(workspaceId, merges);
  const published = records.length > 0 ? deps.publish(deps.eventsOf(workspaceId, records), announce.length > 0) : undefined;
  published?.catch(() => {});
  if (announce.length === 0) return;
  await published;
  await Promise.all(announce.map((item) => deps.announce(workspaceId, item)));
}
