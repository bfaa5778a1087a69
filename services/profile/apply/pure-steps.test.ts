/** What is logged of users: once, when they cross a limit, and when an operator lets them in. */
import { expect, test } from "vitest";
import { silentLogger } from "../../../platform/logger.ts";
import type { Profile } from "../domain/profile/profile.ts";
import type { ProfileChange } from "../domain/profile/profile-record.ts";
import { reportedSteps } from "./pure-steps.ts";

test("a user who is rejected is told once, and so is an operator's word", () => {
  const logged: object[] = [];
  const logger = { ...silentLogger, warn: (event: string, fields: object = {}) => void logged.push({ event, ...fields }) };
  const steps = reportedSteps(logger);
  let profile: Profile | undefined;
  let sequence = 0;
  function apply(change: ProfileChange): void {
    sequence += 1;
    profile = steps.applyRecord(profile, { userId: "u", mark: [sequence, 0], now: 0, change }) ?? undefined;
  }
  apply({ type: "create" });
  for (let at = 0; at < 20_003; at += 1) apply({ type: "event", name: `n${at}`, time: 0 });
  apply({ type: "admit" });
  apply({ type: "event", name: "one more", time: 0 });
  expect(logged).toEqual([
    { event: "user_rejected", userId: "u", sequence: 20_002, part: 0, counted: "event_names", count: 20_001, max: 20_000 },
    { event: "user_admitted", userId: "u", sequence: 20_005, part: 0, event_names: 20_003, product_ids: 0, sessions: 0 },
  ]);
});
