/** The pure steps that an applier does with profiles: as arguments, so that a test can make one throw. */
import type { Logger } from "../../../platform/logger.ts";
import type { MergeRecord, TakenBack } from "../domain/apply-merge.ts";
import type { FrozenMerge } from "../domain/ports.ts";
import type { Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";

export interface PureSteps {
  applyRecord(profile: Profile | undefined, record: ProfileRecord): Profile | null;
  freeze(sides: { source: Profile; target: Profile }, awaiting: MergeRecord<"await">): FrozenMerge;
  takeIn(target: Profile, source: Profile, awaiting: MergeRecord<"await">): Profile;
  takeBack(frozen: FrozenMerge, undo: MergeRecord<"undo">, undone?: Profile["undone"]): TakenBack;
}

/** With a line in the log for what an operator has to know about a user: no name and no value in it. */
export function reportedSteps(steps: PureSteps, logger: Logger): PureSteps {
  /** Runs the step, which changes the profile in place, and logs objects without room and a user who is rejected from here on. */
  function reported<After extends Profile | null>(profile: Profile | undefined, record: ProfileRecord, step: () => After): After {
    const droppedBefore = profile?.dropped?.count ?? 0;
    const wasRejected = profile?.rejected !== undefined;
    const after = step();
    const { userId, mark: [sequence, part], change: { type } } = record;
    const dropped = (after?.dropped?.count ?? 0) - droppedBefore;
    if (dropped > 0) logger.warn("profile_full", { userId, sequence, part, change: type, dropped });
    if (after?.rejected !== undefined && !wasRejected) logger.warn("user_rejected", { userId, sequence, part, ...after.rejected });
    if (type === "admit" && after !== null) logger.warn("user_admitted", { userId, sequence, part, ...after.admitted });
    return after;
  }
  return {
    ...steps,
    applyRecord: (profile, record) => reported(profile, record, () => steps.applyRecord(profile, record)),
    takeIn: (target, source, record) => reported(target, record, () => steps.takeIn(target, source, record)),
  };
}
