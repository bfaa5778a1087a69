/** How users are named in messages: heddle.intake.v1 -> UserKey and UserSelector of the domain. */
import { create } from "@bufbuild/protobuf";
import { normaliseEmail, normalisePhone } from "../../../platform/address.ts";
import { namesOf } from "../../../platform/enum-names.ts";
import { isAliasPart, isExternalId, isPlatformId } from "../../../platform/intake/names.ts";
import { Refusal } from "../../../platform/refusal.ts";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Priority, UserKey, UserSelector } from "../domain/record/user-key.ts";

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

/** For writes: the key in the form in which names are kept. Refuses INPUT_INVALID for what nobody can be named. */
export function userKeyToWrite(message: intake.UserKey | undefined): intake.UserKey {
  const { by } = userKeyFromMessage(message);
  const key = message && storableKey(message.key);
  if (key !== undefined) return create(intake.UserKeySchema, { key });
  throw new Refusal("INPUT_INVALID", `Expected a user key that a user can have, got another ${keyTexts[by]}`);
}

/** As userKeyToWrite, and refuses INPUT_INVALID for an unknown priority. */
export function selectorToWrite(message: intake.UserSelector | undefined): intake.UserSelector {
  const { prioritization = [] } = message ?? {};
  prioritization.forEach(priorityFromMessage);
  return create(intake.UserSelectorSchema, { key: userKeyToWrite(message?.key), prioritization });
}

/** For reads: what nobody can be named is nobody. Refuses as userKeyFromMessage does. */
export function userKeyToRead(message: intake.UserKey | undefined): UserKey {
  userKeyFromMessage(message);
  const key = message && storableKey(message.key);
  return key === undefined ? noUser : userKeyFromMessage(create(intake.UserKeySchema, { key }));
}

/** No user has an empty id. */
const noUser: UserKey = { by: "externalId", id: "" };

/** Addresses normalised, as platform/address.ts does; undefined for what no user can have. */
function storableKey(key: intake.UserKey["key"]): intake.UserKey["key"] | undefined {
  switch (key.case) {
    case "externalId":
      return isExternalId(key.value) ? key : undefined;
    case "alias":
      return isAliasPart(key.value.label) && isAliasPart(key.value.name) ? key : undefined;
    case "platformId":
      return isPlatformId(key.value) ? { case: key.case, value: key.value.toLowerCase() } : undefined;
    case "email":
      return valueOf(key.case, normaliseEmail(key.value));
    case "phone":
      return valueOf(key.case, normalisePhone(key.value));
    default:
      return undefined;
  }
}

function valueOf(by: "email" | "phone", value: string | undefined): intake.UserKey["key"] | undefined {
  return value === undefined ? undefined : { case: by, value };
}

const keyTexts: Readonly<Record<UserKey["by"], string>> = {
  externalId: "external id",
  alias: "alias",
  platformId: "platform id",
  email: "email",
  phone: "phone",
};

function priorityFromMessage(number: intake.Priority): Priority {
  const priority = priorityNames.get(number);
  if (priority === undefined) throw new Refusal("INPUT_INVALID", `Expected a known priority, got ${number}`);
  return priority;
}

const priorityNames = namesOf(intake.Priority);
