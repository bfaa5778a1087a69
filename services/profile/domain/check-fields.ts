/** The standard profile fields that are plain values (api-facts 2.4): what each takes and what it keeps. */
import { limits } from "../../../platform/limits.ts";
import { countryCode } from "../../../platform/country.ts";
import { languageCode } from "../../../platform/language.ts";
import { checkEmailStatus } from "./check-consent.ts";
import { isObject } from "./check-json.ts";
import { checkPushTokens } from "./check-push-tokens.ts";
import { checkFacebook, checkTwitter } from "./check-social.ts";
import { checkText } from "./check-text.ts";
import { isTimeZone } from "./check-time-zone.ts";
import { Verdict } from "./check-verdict.ts";
import { isDate, isoTime, parseTime } from "./parse-time.ts";
import type { FieldValue, StandardField } from "./track-object.ts";

/** The value to keep; null takes the field away, undefined leaves it as it is. The given value is never null. */
export type FieldRule = (value: unknown) => FieldValue | null | undefined;

/**
 * The rules by field. null takes every field away. What cannot be kept refuses the whole object, so that the client
 * learns of it, but for what the facts say is ignored:
 *
 * | Field | Taken | Anything else |
 * |---|---|---|
 * | first_name, last_name, home_city | string to 255 characters | refused |
 * | image_url | string to 2048 characters | refused |
 * | country | string | other types refused; a name that means no country is null |
 * | language | ISO 639-1 | refused |
 * | dob | `YYYY-MM-DD`, a date of the calendar | refused |
 * | gender | M, F, O, N, P | refused |
 * | time_zone | a name of the table | ignored |
 * | current_location | longitude -180 to 180, latitude -90 to 90 | refused; other keys in it are dropped |
 * | date_of_first_session, date_of_last_session, marked_email_as_spam_at | any time of parseTime | refused |
 * | push_subscribe | opted_in, subscribed, unsubscribed | refused |
 * | email_open_tracking_disabled, email_click_tracking_disabled | boolean | refused |
 * | push_tokens, facebook, twitter | the shapes of their checks | refused; other keys in them are dropped |
 */
export const fieldRules: ReadonlyMap<string, FieldRule> = new Map<StandardField, FieldRule>([
  ["first_name", textRule("first_name")],
  ["last_name", textRule("last_name")],
  ["home_city", textRule("home_city")],
  ["image_url", (value) => checkText("image_url", value, limits.imageUrlCharsMax)],
  ["country", (value) => countryCode(checkText("country", value, limits.stringValueCharsMax)) ?? null],
  ["language", checkLanguage],
  ["dob", checkDateOfBirth],
  ["gender", checkGender],
  ["time_zone", (value) => (typeof value === "string" && isTimeZone(value) ? value : undefined)],
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
  return (value) => checkText(field, value, limits.stringValueCharsMax);
}

function timeRule(field: StandardField): FieldRule {
  return (value) => {
    const ms = typeof value === "string" ? parseTime(value) : undefined;
    if (ms === undefined) throw new Verdict(`'${field}' is not a valid date`);
    return isoTime(ms);
  };
}

function flagRule(field: StandardField): FieldRule {
  return (value) => {
    if (typeof value !== "boolean") throw new Verdict(`'${field}' must be true or false`);
    return value;
  };
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
