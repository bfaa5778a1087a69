/** What a lane of the profile service carries: the resolver's records, and what appliers and operators send to an applier. */
import type { RecordId } from "../../../../platform/age.ts";
import type { ProfileRecord } from "../profile/profile-record.ts";
import type { ResolvedRecord } from "./batch.ts";
import type { UserId } from "../record/user-key.ts";

/** One item of a user's lane, in order. */
export type LaneItem =
  | { readonly type: "record"; readonly record: ProfileRecord }
  | Announcement
  /** An operator asks to try a held user's records once more, */
  | { readonly type: "redrive"; readonly userId: UserId }
  /** or to pass over the one that holds it back. */
  | { readonly type: "skip"; readonly userId: UserId; readonly mark: RecordId };

/**
 * The partner got past its side of a merge (`frozen`: the source was handed off) or of an undo (`undone`: the target
 * gave the source back), whose record has this mark. Only a wake-up: what is true is in the store before it is sent, so
 * it may come twice, early, or to a user who is gone.
 */
export interface Announcement {
  readonly type: "announce";
  readonly userId: UserId;
  readonly mergeId: string;
  readonly what: "frozen" | "undone";
  readonly mark: RecordId;
}

/** An item with the workspace whose user it is for. */
export interface Addressed {
  readonly workspaceId: string;
  readonly item: LaneItem;
  /** Of the span that resolved it; absent where its request is not recorded. */
  readonly traceparent?: string;
}

export function userOfItem(item: LaneItem): UserId {
  return item.type === "record" ? item.record.userId : item.userId;
}

/**
 * The profile records that one intake record leaves in the lanes, in order: those of the resolver; for each undo the
 * source's own side; and for each merge that ended, word for whom it was kept, so that it goes after all before it.
 */
export function laneRecordsOf({ sequence, profiles, forgotten, partsInCommon }: ResolvedRecord): ProfileRecord[] {
  const records = profiles.flatMap((record) => (record.change.type === "undo" ? [record, restoreOf(record, record.change)] : [record]));
  const last = profiles.at(-1);
  const now = last?.now ?? 0;
  const first = profiles.reduce((max, { mark }) => Math.max(max, mark[1]), -1) + 1;
  // Each user has its own order: what others forget takes none of its places
  const taken = new Map<UserId, number>();
  for (const [at, { mergeId, targetId }] of forgotten.entries()) {
    const before = partsInCommon ? at : taken.get(targetId) ?? 0;
    taken.set(targetId, before + 1);
    records.push({ userId: targetId, mark: [sequence, first + before], now, change: { type: "forget", mergeId } });
  }
  return records;
}

function restoreOf({ userId, mark, now }: ProfileRecord, { mergeId, sourceId }: { mergeId: string; sourceId: UserId }): ProfileRecord {
  return { userId: sourceId, mark, now, change: { type: "restore", mergeId, targetId: userId } };
}
