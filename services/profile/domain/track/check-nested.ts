/** Values inside nested custom attributes: which ones are kept, and their times in one form. */
import { hasAtMostChars } from "../../../../platform/text.ts";
import { limits } from "../../../../platform/limits.ts";
import { isObject, type RawObject } from "../values/check-json.ts";
import { timeForm } from "../values/check-text.ts";
import { Ignored, quoted, Verdict } from "../values/check-verdict.ts";
import { isoTime, parseCommonTime, parseTime } from "../values/parse-time.ts";
import type { Json, JsonObject, TimeValue } from "../record/track-object.ts";

/** A time that is a JSON value too. */
type StoredTime = TimeValue & JsonObject;

const storedFrom = Date.parse("0000-01-01T00:00:00.000Z");
const storedBefore = Date.UTC(limits.storedYearMax + 1, 0, 1);

/**
 * A nested object with its times normalised. Any value in it that is null or invalid drops all nested updates of the attribute
 * (api-facts 2.5): a name that is empty, too long, or has a space, `.` or `$`; an array in an array; a `$time` that is no time
 * from year 0 to 3000. A string over the limit is reported as at the top level.
 */
export function nestedObject(attribute: string, raw: RawObject): JsonObject {
  const object: Record<string, Json> = {};
  for (const name of Object.keys(raw)) {
    if (!isNestedName(name)) throw badName(attribute);
    object[name] = nestedValue(attribute, raw[name]);
  }
  return object;
}

/** All the objects of the array. */
export function nestedObjects(attribute: string, items: readonly RawObject[]): JsonObject[] {
  return items.map((item) => nestedObject(attribute, item));
}

/** `{ "$time": text }` in canonical form. */
export function timeObject(attribute: string, raw: RawObject): StoredTime {
  const text = raw["$time"];
  const time = typeof text === "string" && Object.keys(raw).length === 1 ? storedTime(parseTime(text)) : undefined;
  if (time === undefined) {
    throw new Ignored(`A '$time' of '${quoted(attribute)}' is not a valid date from year 0 to ${limits.storedYearMax}: ${timeForm}`);
  }
  return time;
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
  throw new Verdict(`A string of '${quoted(attribute)}' is longer than ${limits.stringValueCharsMax} characters`);
}

function nestedValue(attribute: string, value: unknown): Json {
  if (typeof value === "string") return checkStringValue(attribute, value);
  if (typeof value === "number" || typeof value === "boolean") return value;
  if (Array.isArray(value)) return value.map((item) => nestedValue(attribute, Array.isArray(item) ? null : item));
  if (isTimeObject(value)) return timeObject(attribute, value);
  if (isObject(value)) return nestedObject(attribute, value);
  throw new Ignored(`A value in '${quoted(attribute)}' is null or an array in an array: nothing in it was taken`);
}

function badName(attribute: string): Ignored {
  return new Ignored(
    `A name in '${quoted(attribute)}' is empty, longer than ${limits.attributeNameCharsMax} characters, or has a space, '.' or '$': ` +
      "nothing in it was taken",
  );
}

function isNestedName(name: string): boolean {
  if (name === "" || !hasAtMostChars(name, limits.attributeNameCharsMax)) return false;
  return !name.includes(" ") && !name.includes(".") && !name.includes("$");
}
