/** The standard profile fields that are plain values (api-facts 2.4): what each takes and what it keeps. */
import { limits } from "../../../../platform/limits.ts";
import { countryCode } from "../../../../platform/country.ts";
import { languageCode } from "../../../../platform/language.ts";
import { checkEmailStatus } from "./check-consent.ts";
import { isObject } from "../values/check-json.ts";
import { checkPushTokens } from "./check-push-tokens.ts";
import { checkFacebook, checkTwitter } from "./check-social.ts";
import { checkText, timeForm } from "../values/check-text.ts";
import { isTimeZone } from "../values/check-time-zone.ts";
import { type FieldFaults, Ignored, Verdict } from "../values/check-verdict.ts";
import { isDate, isoTime, parseTime } from "../values/parse-time.ts";
import type { FieldValue, StandardField } from "../record/track-object.ts";

/**
 * The value to keep; null takes the field away. The given value is never null. What cannot be kept is a Verdict; `faults` is for
 * what is not kept as it was sent.
 */
export type FieldRule = (value: unknown, faults: FieldFaults) => FieldValue | null;

/**
 * The rules by field; docs/users.md has them as a table. null takes every field away; so does an empty text, list or object, as
 * exports leave out what is empty and a merge fills it (api-facts 3). What cannot be kept leaves the field as it is and is
 * reported; a country that means none empties the field and is reported (api-facts 2.4).
 */
export const fieldRules: ReadonlyMap<string, FieldRule> = new Map<StandardField, FieldRule>([
  ["first_name", textRule("first_name")],
  ["last_name", textRule("last_name")],
  ["home_city", textRule("home_city")],
  ["image_url", (value) => checkText("image_url", value, limits.imageUrlCharsMax) || null],
  ["country", checkCountry],
  ["language", checkLanguage],
  ["dob", checkDateOfBirth],
  ["gender", checkGender],
  ["time_zone", checkTimeZone],
  ["current_location", checkLocation],
  ["date_of_first_session", timeRule("date_of_first_session")],
  ["date_of_last_session", timeRule("date_of_last_session")],
  ["marked_email_as_spam_at", timeRule("marked_email_as_spam_at")],
  ["push_subscribe", (value) => checkEmailStatus("push_subscribe", value)],
  ["email_open_tracking_disabled", flagRule("email_open_tracking_disabled")],
  ["email_click_tracking_disabled", flagRule("email_click_tracking_disabled")],
  ["push_tokens", checkPushTokens],
  ["facebook", checkFacebook],
  ["twitter", checkTwitter],
]);

function textRule(field: StandardField): FieldRule {
  return (value) => checkText(field, value, limits.stringValueCharsMax) || null;
}

function timeRule(field: StandardField): FieldRule {
  return (value) => {
    const ms = typeof value === "string" ? parseTime(value) : undefined;
    if (ms === undefined) throw new Verdict(`'${field}' is not a valid date: ${timeForm}`);
    return isoTime(ms);
  };
}

function flagRule(field: StandardField): FieldRule {
  return (value) => {
    if (typeof value !== "boolean") throw new Verdict(`'${field}' must be true or false`);
    return value;
  };
}

/** Best effort: the code of a name or code; a text that means no country is null. An empty one is a verdict. */
function checkCountry(value: unknown, faults: FieldFaults): string | null {
  const text = checkText("country", value, limits.stringValueCharsMax);
  if (text === "") throw new Verdict("'country' must be an ISO 3166-1 alpha-2 code or the name of a country");
  const code = countryCode(text);
  if (code === undefined) faults.note("country", "'country' is no country that is known, the field was emptied");
  return code ?? null;
}

function checkTimeZone(value: unknown): string {
  if (typeof value === "string" && isTimeZone(value)) return value;
  throw new Ignored("'time_zone' must be the name of a time zone");
}

function checkLanguage(value: unknown): string {
  const code = typeof value === "string" ? languageCode(value) : undefined;
  if (code === undefined) throw new Verdict("'language' must be an ISO 639-1 code");
  return code;
}

function checkDateOfBirth(value: unknown): string {
  if (typeof value !== "string" || !isDate(value)) throw new Verdict("'dob' must be a date in the form YYYY-MM-DD");
  return value;
}

function checkGender(value: unknown): string {
  if (typeof value === "string" && value.length === 1 && "MFONP".includes(value)) return value;
  throw new Verdict("'gender' must be 'M', 'F', 'O', 'N', 'P' or null");
}

function checkLocation(value: unknown): FieldValue {
  if (isObject(value)) {
    const { longitude, latitude } = value;
    if (isWithin(longitude, 180) && isWithin(latitude, 90)) return { longitude, latitude };
  }
  throw new Verdict("'current_location' must have a 'longitude' from -180 to 180 and a 'latitude' from -90 to 90");
}

function isWithin(value: unknown, most: number): value is number {
  return typeof value === "number" && Math.abs(value) <= most;
}
