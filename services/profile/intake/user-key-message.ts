/** How users are named in messages: UserKey and UserSelector of the domain <-> heddle.intake.v1. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Refusal } from "../../../platform/refusal.ts";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Priority, UserKey, UserSelector } from "../domain/user-key.ts";

export type UserKeyInit = MessageInitShape<typeof intake.UserKeySchema>;
export type UserSelectorInit = MessageInitShape<typeof intake.UserSelectorSchema>;

export function userKeyToMessage(key: UserKey): UserKeyInit {
  switch (key.by) {
    case "externalId":
      return { key: { case: "externalId", value: key.id } };
    case "alias":
      return { key: { case: "alias", value: { label: key.label, name: key.name } } };
    case "platformId":
      return { key: { case: "platformId", value: key.id } };
    case "email":
      return { key: { case: "email", value: key.address } };
    case "phone":
      return { key: { case: "phone", value: key.number } };
  }
}

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

export function selectorToMessage(selector: UserSelector): UserSelectorInit {
  return {
    key: userKeyToMessage(selector.key),
    prioritization: selector.prioritization.map((priority) => priorityNumbers[priority]),
  };
}

/** Refuses INPUT_INVALID for a missing key or an unknown priority. */
export function selectorFromMessage(message: intake.UserSelector | undefined): UserSelector {
  return {
    key: userKeyFromMessage(message?.key),
    prioritization: (message?.prioritization ?? []).map(priorityFromMessage),
  };
}

function priorityFromMessage(number: intake.Priority): Priority {
  const priority = priorityNames.get(number);
  if (priority === undefined) throw new Refusal("INPUT_INVALID", `Expected a known priority, got ${number}`);
  return priority;
}

const priorityNumbers: Record<Priority, intake.Priority> = {
  identified: intake.Priority.IDENTIFIED,
  unidentified: intake.Priority.UNIDENTIFIED,
  most_recently_updated: intake.Priority.MOST_RECENTLY_UPDATED,
  least_recently_updated: intake.Priority.LEAST_RECENTLY_UPDATED,
};

const priorityNames = new Map<intake.Priority, Priority>([
  [intake.Priority.IDENTIFIED, "identified"],
  [intake.Priority.UNIDENTIFIED, "unidentified"],
  [intake.Priority.MOST_RECENTLY_UPDATED, "most_recently_updated"],
  [intake.Priority.LEAST_RECENTLY_UPDATED, "least_recently_updated"],
]);
