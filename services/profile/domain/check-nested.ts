/** Values inside nested custom attributes: which ones are kept, and their times in one form. */
import { limits } from "../../../platform/limits.ts";
import { isObject, type RawObject } from "./check-json.ts";
import { hasAtMostChars } from "./check-text.ts";
import { Verdict } from "./check-verdict.ts";
import { isoTime, parseCommonTime, parseTime } from "./parse-time.ts";
import type { Json, JsonObject, TimeValue } from "./track-object.ts";

/** A time that is a JSON value too. */
type StoredTime = TimeValue & JsonObject;

const storedFrom = Date.parse("0000-01-01T00:00:00.000Z");
const storedBefore = Date.UTC(limits.storedYearMax + 1, 0, 1);

/**
 * A nested object with its times normalised; undefined where any value in it is null or invalid, which drops all nested
 * updates of the attribute (api-facts 2.5): a name that is empty, too long, or has a space, `.` or `$`; an array in an
 * array; a `$time` that is no time from year 0 to 3000. A string over the limit refuses the whole object instead, as it
 * does at the top: the client should know.
 */
export function nestedObject(attribute: string, raw: RawObject): JsonObject | undefined {
  const object: Record<string, Json> = {};
  for (const name of Object.keys(raw)) {
    const value = isNestedName(name) ? nestedValue(attribute, raw[name]) : undefined;
    if (value === undefined) return undefined;
    object[name] = value;
  }
  return object;
}

/** All the objects of the array, or undefined where one of them is invalid. */
export function nestedObjects(attribute: string, items: readonly unknown[]): JsonObject[] | undefined {
  const objects: JsonObject[] = [];
  for (const item of items) {
    const object = isObject(item) ? nestedObject(attribute, item) : undefined;
    if (object === undefined) return undefined;
    objects.push(object);
  }
  return objects;
}

/** `{ "$time": text }` in canonical form; undefined where there is anything else in it or the text is no time to keep. */
export function timeObject(raw: RawObject): StoredTime | undefined {
  const text = raw["$time"];
  return typeof text === "string" && Object.keys(raw).length === 1 ? storedTime(parseTime(text)) : undefined;
}

/** The time that a text of a custom attribute looks like, from year 0 to 3000. */
export function timeValue(text: string): StoredTime | undefined {
  return storedTime(parseCommonTime(text));
}

function storedTime(ms: number | undefined): StoredTime | undefined {
  return ms === undefined || ms < storedFrom || ms >= storedBefore ? undefined : { $time: isoTime(ms) };
}

export function isTimeObject(value: unknown): value is RawObject {
  return isObject(value) && Object.hasOwn(value, "$time");
}

export function checkStringValue(attribute: string, text: string): string {
  if (hasAtMostChars(text, limits.stringValueCharsMax)) return text;
  throw new Verdict(`A string of '${attribute}' is longer than ${limits.stringValueCharsMax} characters`);
}

function nestedValue(attribute: string, value: unknown): Json | undefined {
  if (typeof value === "string") return checkStringValue(attribute, value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return nestedArray(attribute, value);
  if (isTimeObject(value)) return timeObject(value);
  return isObject(value) ? nestedObject(attribute, value) : undefined;
}

function nestedArray(attribute: string, items: readonly unknown[]): Json[] | undefined {
  const values: Json[] = [];
  for (const item of items) {
    const value = Array.isArray(item) ? undefined : nestedValue(attribute, item);
    if (value === undefined) return undefined;
    values.push(value);
  }
  return values;
}

function isNestedName(name: string): boolean {
  if (name === "" || !hasAtMostChars(name, limits.attributeNameCharsMax)) return false;
  return !name.includes(" ") && !name.includes(".") && !name.includes("$");
}
