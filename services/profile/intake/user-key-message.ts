/** How users are named in messages: heddle.intake.v1 -> UserKey and UserSelector of the domain. */
import { Refusal } from "../../../platform/refusal.ts";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Priority, UserKey, UserSelector } from "../domain/user-key.ts";

/** Refuses INPUT_INVALID for a key with no member set. */
export function userKeyFromMessage(message: intake.UserKey | undefined): UserKey {
  const key = message?.key;
  switch (key?.case) {
    case "externalId":
      return { by: "externalId", id: key.value };
    case "alias":
      return { by: "alias", label: key.value.label, name: key.value.name };
    case "platformId":
      return { by: "platformId", id: key.value };
    case "email":
      return { by: "email", address: key.value };
    case "phone":
      return { by: "phone", number: key.value };
    default:
      throw new Refusal("INPUT_INVALID", "Expected a user key with one member set, got none");
  }
}

/** Refuses INPUT_INVALID for a missing key or an unknown priority. */
export function selectorFromMessage(message: intake.UserSelector | undefined): UserSelector {
  return {
    key: userKeyFromMessage(message?.key),
    prioritization: (message?.prioritization ?? []).map(priorityFromMessage),
  };
}

/** Refuses as userKeyFromMessage does. */
export function checkUserKey(message: intake.UserKey | undefined): void {
  userKeyFromMessage(message);
}

/** Refuses as selectorFromMessage does. */
export function checkSelector(message: intake.UserSelector | undefined): void {
  selectorFromMessage(message);
}

function priorityFromMessage(number: intake.Priority): Priority {
  const priority = priorityNames.get(number);
  if (priority === undefined) throw new Refusal("INPUT_INVALID", `Expected a known priority, got ${number}`);
  return priority;
}

const priorityNames = new Map<intake.Priority, Priority>([
  [intake.Priority.IDENTIFIED, "identified"],
  [intake.Priority.UNIDENTIFIED, "unidentified"],
  [intake.Priority.MOST_RECENTLY_UPDATED, "most_recently_updated"],
  [intake.Priority.LEAST_RECENTLY_UPDATED, "least_recently_updated"],
]);
