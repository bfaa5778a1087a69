/** Who an object of /users/track is about: exactly one primary identifier, else email, else phone. */
import { hasAtMostChars, isStorable } from "../../../../platform/text.ts";
import { normaliseEmail, normalisePhone } from "../../../../platform/address.ts";
import { limits } from "../../../../platform/limits.ts";
import { isObject, type RawObject, utf8Bytes } from "../values/check-json.ts";
import { idText } from "../values/check-text.ts";
import { Verdict } from "../values/check-verdict.ts";
import type { UserKey } from "../record/user-key.ts";

const platformIdChars = 24;

/**
 * The user key of an object ("User identifier fields"; api-facts 2.3). Decided here:
 * - a null identifier is one that was not sent, and an empty email or phone; an empty external_id is not, or data would
 *   reach another profile;
 * - a number is an external_id while it is a whole number that JavaScript holds exactly;
 * - `platform_id` and `braze_id` together are one identifier while they are equal.
 */
export function checkUser(raw: RawObject): UserKey {
  const { external_id: externalId, user_alias: alias } = raw;
  const platformId = checkPlatformIds(raw);
  const primaries = Number(isSent(externalId)) + Number(isSent(alias)) + Number(isSent(platformId));
  if (primaries > 1) throw new Verdict("Only one of 'external_id', 'braze_id' and 'user_alias' may be sent");
  if (isSent(externalId)) return checkExternalId(externalId);
  if (isSent(alias)) return checkAlias(alias);
  if (platformId !== undefined) return { by: "platformId", id: platformId };
  if (isSent(raw["email"]) && raw["email"] !== "") return { by: "email", address: checkEmail(raw["email"]) };
  if (isSent(raw["phone"]) && raw["phone"] !== "") return { by: "phone", number: checkPhone(raw["phone"]) };
  throw new Verdict("'external_id', 'braze_id', 'user_alias', 'email' or 'phone' is required");
}

export const emailText = "The value provided for the 'email' field is not a valid email.";

export function checkEmail(value: unknown): string {
  const address = typeof value === "string" ? normaliseEmail(value) : undefined;
  if (address === undefined || !isStorable(address)) throw new Verdict(emailText);
  return address;
}

export function checkPhone(value: unknown): string {
  const number = typeof value === "string" ? normalisePhone(value) : undefined;
  if (number === undefined) {
    throw new Verdict(
      "The value provided for the 'phone' field is not a valid phone number: send a string in E.164, such as '+12015550123'",
    );
  }
  return number;
}

function isSent(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function checkExternalId(value: unknown): UserKey {
  const id = idText(value);
  if (Number.isInteger(id)) throw new Verdict("'external_id' is too large for a number: send it as a string");
  if (typeof id !== "string" || id === "" || !isStorable(id)) {
    throw new Verdict("'external_id' must be a string that is not empty and has no NUL, or a whole number");
  }
  // Three bytes a UTF-16 unit is the most there can be.
  if (id.length * 3 > limits.externalIdBytesMax && utf8Bytes(id) > limits.externalIdBytesMax) {
    throw new Verdict(`'external_id' must be fewer than ${limits.externalIdBytesMax + 1} bytes`);
  }
  return { by: "externalId", id };
}

function checkAlias(value: unknown): UserKey {
  if (!isObject(value)) throw new Verdict("'user_alias' must be an object with 'alias_name' and 'alias_label'");
  return {
    by: "alias",
    label: checkAliasPart("alias_label", value["alias_label"]),
    name: checkAliasPart("alias_name", value["alias_name"]),
  };
}

function checkAliasPart(field: string, sent: unknown): string {
  const value = idText(sent);
  if (typeof value === "string" && value !== "" && isStorable(value) && hasAtMostChars(value, limits.aliasPartCharsMax)) return value;
  throw new Verdict(`'user_alias' must have an '${field}' of 1 to ${limits.aliasPartCharsMax} characters without NUL`);
}

function checkPlatformIds(raw: RawObject): string | undefined {
  const first = checkPlatformId("platform_id", raw["platform_id"]);
  const second = checkPlatformId("braze_id", raw["braze_id"]);
  if (first !== undefined && second !== undefined && first !== second) {
    throw new Verdict("'platform_id' and 'braze_id' must be equal where both are sent");
  }
  return first ?? second;
}

function checkPlatformId(field: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "string" && value.length === platformIdChars && isHex(value)) return value.toLowerCase();
  throw new Verdict(`'${field}' must be ${platformIdChars} hexadecimal digits`);
}

function isHex(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at) | 0x20;
    const digit = text.charCodeAt(at) - 0x30;
    if (!(digit >= 0 && digit <= 9) && !(unit >= 0x61 && unit <= 0x66)) return false;
  }
  return true;
}
