/** The pure steps with a line in the log for every object that a profile has no room for: no name and no value in it. */
import type { Logger } from "../../../platform/logger.ts";
import type { Profile } from "../domain/profile.ts";
import type { ProfileRecord } from "../domain/profile-record.ts";
import type { PureSteps } from "./workspace-work.ts";

export function reportedSteps(steps: PureSteps, logger: Logger): PureSteps {
  function report(before: number, after: Profile | null, { userId, mark: [sequence, part], change: { type } }: ProfileRecord): void {
    const count = (after?.dropped?.count ?? 0) - before;
    if (count > 0) logger.warn("profile_full", { userId, sequence, part, change: type, dropped: count });
  }
  return {
    ...steps,
    applyRecord(profile, record) {
      const before = profile?.dropped?.count ?? 0;
      const after = steps.applyRecord(profile, record);
      report(before, after, record);
      return after;
    },
    takeIn(target, source, record) {
      const before = target.dropped?.count ?? 0;
      const after = steps.takeIn(target, source, record);
      report(before, after, record);
      return after;
    },
  };
}
