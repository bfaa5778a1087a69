/**
 * The two-sided steps of a merge, as pure functions: freeze both sides, take the source in, take the merge back.
 *
 * While a merge can be taken back, its journal holds every record sent to the target since, in order. Taking back is
 * exact because it is no reversal: both sides are made again from the frozen copies and their own records.
 * Merges nest and are taken back newest first (the resolver sees to that), so only the journal of a user's newest open
 * merge grows. Taken back, it passes what it held on to the journals of the merges that are then the newest: of the
 * target, and of the source, which may be the target of older merges itself.
 */
import { isAfter } from "../../../../platform/age.ts";
import { limits } from "../../../../platform/limits.ts";
import { applyRecord } from "../profile/apply-records.ts";
import { copyProfile, mergeProfiles } from "./merge-profiles.ts";
import type { FrozenMerge } from "../ports.ts";
import type { Profile, UndoneNote } from "../profile/profile.ts";
import type { ProfileRecord } from "../profile/profile-record.ts";
import type { UserId } from "../record/user-key.ts";

/** The frozen copies of a merge: both sides with everything before `awaiting`, which becomes their mark, and an empty journal. */
export function freeze(sides: { source: Profile; target: Profile }, awaiting: MergeRecord<"await">): FrozenMerge {
  return {
    source: { ...copyProfile(sides.source), mark: awaiting.mark },
    targetBefore: { ...copyProfile(sides.target), mark: awaiting.mark },
    journal: [],
    undoUntil: awaiting.change.undoUntil,
  };
}

/** The target after the merge, in place. A record at or below the target's mark is in already. Names follow as `identity` records. */
export function takeIn(target: Profile, source: Profile, awaiting: MergeRecord<"await">): Profile {
  if (!isAfter(awaiting.mark, target.mark)) return target;
  mergeProfiles(target, source, awaiting.now);
  const { mark, now: at, change: { mergeId, sourceId } } = awaiting;
  target.merges = [...target.merges, ...source.merges, { mergeId, sourceId, sequence: mark[0], at }]
    .toSorted((a, b) => a.sequence - b.sequence)
    .slice(-limits.mergeNotesMax);
  target.mark = mark;
  return target;
}

/**
 * Both sides as if the merge had not been, with what was sent since applied to the side it was addressed to. Their mark is
 * that of the undo, so that nothing of before is applied again; their `updatedAt` is that of their own last record.
 * Names that the merge itself gave are gone, later ones are replayed; the resolver sends who has which name now in
 * `identity` records for both sides after the undo. Throws where the journal shows that the target was deleted or merged since.
 * `undone`: what the target noted so far, as its copy is of before.
 */
export function takeBack(frozen: FrozenMerge, undo: MergeRecord<"undo">, undone: Profile["undone"] = []): TakenBack {
  const { mergeId } = undo.change;
  const own = frozen.journal.filter((record) => !isNameOfMerge(record, frozen.source.mark[0]));
  const sourceRecords = own.filter((record) => record.side?.mergeId === mergeId).map((record) => ofSource(record, frozen.source.id));
  const targetRecords = own.filter((record) => record.side?.mergeId !== mergeId);
  const [source, target] = [frozen.source, frozen.targetBefore];
  const note = { mergeId, sequence: undo.mark[0], at: undo.now };
  return {
    source: replayed(withUndone(source, source.undone, { ...note, otherId: target.id, wasSource: true }), sourceRecords, undo),
    target: replayed(withUndone(target, undone, { ...note, otherId: source.id, wasSource: false }), targetRecords, undo),
    sourceRecords,
    targetRecords,
  };
}

export interface TakenBack {
  readonly source: Profile;
  readonly target: Profile;
  /** What was sent to the source since, for the journal of its newest open merge. */
  readonly sourceRecords: readonly ProfileRecord[];
  /** What was sent to the target since, for the journal of its newest open merge. */
  readonly targetRecords: readonly ProfileRecord[];
}

export type MergeRecord<Type extends "await" | "undo"> = ProfileRecord & {
  readonly change: Extract<ProfileRecord["change"], { type: Type }>;
};

function withUndone(profile: Profile, before: Profile["undone"] = [], note: UndoneNote): Profile {
  return { ...profile, undone: [...before, note].slice(-limits.mergeNotesMax) };
}

function replayed(frozen: Profile, records: readonly ProfileRecord[], undo: ProfileRecord): Profile {
  const profile = copyProfile(frozen);
  for (const record of records) {
    if (applyRecord(profile, record) === null) throw new Error(`Expected a user that lives on, got the journal of deleted "${profile.id}"`);
  }
  profile.mark = undo.mark;
  return profile;
}

/** The names that a merge moves are part of the merge: records of the same request, so of the same sequence. */
function isNameOfMerge(record: ProfileRecord, sequence: number): boolean {
  return record.change.type === "identity" && record.mark[0] === sequence;
}

/** A record of the source's side, as the source would have got it. */
function ofSource(record: ProfileRecord, userId: UserId): ProfileRecord {
  const { side, ...rest } = record;
  const [mergeId, ...inner] = side?.inner ?? [];
  if (mergeId === undefined) return { ...rest, userId };
  return { ...rest, userId, side: inner.length === 0 ? { mergeId } : { mergeId, inner } };
}
