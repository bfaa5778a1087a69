/** JSON identifiers of users to the messages of heddle.intake.v1, addresses normalised. All throw INPUT_INVALID with the client's text. */
import { create } from "@bufbuild/protobuf";
import { normaliseEmail, normalisePhone } from "../../platform/address.ts";
import { numbersOf } from "../../platform/enum-names.ts";
import { type Fields, isFields } from "../../platform/fields.ts";
import { limits } from "../../platform/limits.ts";
import type { Refusal } from "../../platform/refusal.ts";
import { hasAtMostChars, isStorable } from "../../platform/text.ts";
import {
  type Alias,
  AliasSchema,
  Priority,
  type UserKey,
  UserKeySchema,
  type UserSelector,
  UserSelectorSchema,
} from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { invalid, isFilled, isSent } from "./fields.ts";

/** A non-empty id of at most 987 bytes. Whole numbers are taken as text (api-facts 2.3) unless the endpoint insists on strings. */
export function externalIdOf(value: unknown, field = "external_id"): string {
  if (!isSent(value) || value === "") throw invalid(`'${field}' is required`);
  const id = idText(value);
  if (typeof id !== "string" || !isStorable(id)) throw noText(field, id);
  if (Buffer.byteLength(id) > limits.externalIdBytesMax) {
    throw invalid(`'${field}' must be fewer than ${limits.externalIdBytesMax + 1} bytes`);
  }
  return id;
}

/** `{alias_name, alias_label}` */
export function aliasOf(value: unknown, field = "user_alias"): Alias {
  if (!isSent(value)) throw invalid(`'${field}' is required`);
  if (!isFields(value)) throw invalid(`'${field}' must be an object with 'alias_name' and 'alias_label'`);
  return create(AliasSchema, {
    name: aliasPartOf(value["alias_name"], "alias_name"),
    label: aliasPartOf(value["alias_label"], "alias_label"),
  });
}

/** One half of an alias: 1 to 255 characters. Whole numbers are taken as text. */
export function aliasPartOf(value: unknown, field: string): string {
  if (!isSent(value) || value === "") throw invalid(`'${field}' is required`);
  const part = idText(value);
  if (typeof part !== "string" || !isStorable(part)) throw noText(field, part);
  if (!hasAtMostChars(part, limits.aliasPartCharsMax)) throw invalid(`'${field}' must be at most ${limits.aliasPartCharsMax} characters`);
  return part;
}

/** The one identifier that the fields hold, of those that the route takes. */
export function userKeyOf(fields: Fields, taken: readonly UserField[]): UserKey {
  const [field, ...others] = taken.filter((name) => isSent(fields[name]));
  if (field === undefined || others.length > 0) {
    const names = taken.map((name) => `'${name}'`);
    throw invalid(`One of ${names.slice(0, -1).join(", ")} and ${names.at(-1)} is required`);
  }
  const value = fields[field];
  switch (field) {
    case "external_id":
      return keyOf({ case: "externalId", value: externalIdOf(value) });
    case "user_alias":
      return keyOf({ case: "alias", value: aliasOf(value) });
    case "platform_id":
      return keyOf({ case: "platformId", value: platformIdOf(value, field) });
    case "email":
      return keyOf({ case: "email", value: emailOf(value) });
    case "phone":
      return keyOf({ case: "phone", value: phoneOf(value) });
  }
}

export type UserField = "external_id" | "user_alias" | "platform_id" | "email" | "phone";

/** Ids that clients send as numbers are taken as text, while the number still says exactly what was sent. */
function idText(value: unknown): unknown {
  return Number.isSafeInteger(value) ? String(value) : value;
}

/** What is wrong with an id that is no text that can be kept. */
function noText(field: string, id: unknown): Refusal {
  if (typeof id === "string") return invalid(`'${field}' must not hold NUL or half of a surrogate pair`);
  return invalid(Number.isInteger(id) ? `'${field}' is too large for a number: send it as a string` : `'${field}' must be a string`);
}

/** 24 hexadecimal digits, in lower case. */
export function platformIdOf(value: unknown, field: string): string {
  if (typeof value === "string" && platformId.test(value)) return value.toLowerCase();
  throw invalid(`'${field}' must be 24 hexadecimal digits`);
}

export function emailOf(value: unknown, field = "email"): string {
  if (!isFilled(value)) throw invalid(`'${field}' is required`);
  const address = typeof value === "string" && isStorable(value) ? normaliseEmail(value) : undefined;
  if (address === undefined) throw invalid(`The value provided for the '${field}' field is not a valid email.`);
  return address;
}

export function phoneOf(value: unknown, field = "phone"): string {
  if (!isFilled(value)) throw invalid(`'${field}' is required`);
  const number = typeof value === "string" ? normalisePhone(value) : undefined;
  if (number === undefined) {
    throw invalid(
      `The value provided for the '${field}' field is not a valid phone number: send a string in E.164, such as '+12015550123'`,
    );
  }
  return number;
}

/**
 * How to choose among users who share an address, as ordered by the client; required with an address (specification,
 * /users/merge rule 1); a repeat counts once, where it stood first. `identified` excludes `unidentified`, `most_recently_updated`
 * excludes `least_recently_updated`.
 */
function prioritizationOf(value: unknown): Priority[] {
  if (!isFilled(value)) throw invalid("'prioritization' is required with an 'email' or 'phone' identifier");
  if (!Array.isArray(value)) throw invalid(prioritiesText);
  const chosen = value.map((entry) => {
    const priority = typeof entry === "string" ? priorities.get(entry) : undefined;
    if (priority === undefined) throw invalid(prioritiesText);
    return priority;
  });
  for (const [one, other] of exclusive) {
    if (chosen.includes(priorityNumbers[one]) && chosen.includes(priorityNumbers[other])) {
      throw invalid(`Request can not contain both of '${one}' and '${other}' values in the 'prioritization' array`);
    }
  }
  return [...new Set(chosen)];
}

/** `{email, prioritization}` */
export function emailSelector(fields: Fields): UserSelector {
  return selectorOf({ case: "email", value: emailOf(fields["email"]) }, prioritizationOf(fields["prioritization"]));
}

/** `{phone, prioritization}` */
export function phoneSelector(fields: Fields): UserSelector {
  return selectorOf({ case: "phone", value: phoneOf(fields["phone"]) }, prioritizationOf(fields["prioritization"]));
}

export function selectorOf(key: UserKey["key"], prioritization: Priority[] = []): UserSelector {
  return create(UserSelectorSchema, { key: keyOf(key), prioritization });
}

export function keyOf(key: UserKey["key"]): UserKey {
  return create(UserKeySchema, { key });
}

const platformId = /^[0-9a-fA-F]{24}$/;

const priorityNumbers = numbersOf(Priority);
const priorities: ReadonlyMap<string, Priority> = new Map(Object.entries(priorityNumbers));

const exclusive = [
  ["identified", "unidentified"],
  ["most_recently_updated", "least_recently_updated"],
] as const;

const prioritiesText =
  "'prioritization' must be an array of 'identified', 'unidentified', 'most_recently_updated' or 'least_recently_updated'";
