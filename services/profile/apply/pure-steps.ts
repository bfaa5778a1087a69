/** The pure steps that an applier does with profiles: as arguments, so that a test can make one throw. */
import type { Logger } from "../../../platform/logger.ts";
import { freeze, takeBack, takeIn } from "../domain/merge/apply-merge.ts";
import { applyRecord } from "../domain/profile/apply-records.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileRecord } from "../domain/profile/profile-record.ts";

export const pureSteps = { applyRecord, freeze, takeIn, takeBack };
export type PureSteps = Readonly<typeof pureSteps>;

/** With a line in the log for what an operator has to know about a user: no name and no value in it. */
export function reportedSteps(logger: Logger, otherwise: Partial<PureSteps> = {}): PureSteps {
  const steps = { ...pureSteps, ...otherwise };
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
