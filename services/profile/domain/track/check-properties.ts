/** The properties of events and purchases ("Event properties" 1 to 5; api-facts 2.6). */
import { hasAtMostChars } from "../../../../platform/text.ts";
import { limits } from "../../../../platform/limits.ts";
import { fitsBytes, isObject, type RawObject } from "../values/check-json.ts";
import { FieldFaults, quoted, Verdict } from "../values/check-verdict.ts";
import type { Json, JsonObject } from "../record/track-object.ts";

/**
 * The properties to hand on as they were sent; undefined where none is left. The byte limit counts the UTF-8 JSON of
 * all that was sent, and only where an array or object is among it. Decided here: a null value is a property that was
 * not sent; of more than 256 names the first 256 are kept, which is reported; the rules for names hold for the top level alone.
 */
export function checkProperties(value: unknown, faults: FieldFaults): JsonObject | undefined {
  if (!isObject(value)) throw new Verdict("'properties' must be an object");
  const names = Object.keys(value);
  let isNested = false;
  let isWhole = names.length <= limits.propertiesPerObjectMax;
  for (const name of names) {
    checkPropertyName(name);
    const property = value[name];
    if (typeof property === "string") checkPropertyText(name, property);
    else if (property === null) isWhole = false;
    else if (typeof property === "object") isNested = true;
  }
  if (isNested && !fitsBytes(value, limits.propertiesBytesMax)) {
    throw new Verdict(`'properties' with arrays or objects must be at most ${limits.propertiesBytesMax} bytes`);
  }
  if (isWhole) return names.length === 0 ? undefined : value as JsonObject;
  return withoutRest(value, faults);
}

/** The same, a check for each property. */
export function propertyChecks(value: unknown): (() => unknown)[] {
  const each = isObject(value) ? Object.entries(value) : [];
  return [
    ...each.map(([name, property]) => () => {
      checkPropertyName(name);
      if (typeof property === "string") checkPropertyText(name, property);
    }),
    () => checkProperties(value, new FieldFaults()),
  ];
}

function checkPropertyName(name: string): void {
  if (name === "" || !hasAtMostChars(name, limits.propertyNameCharsMax)) {
    throw new Verdict(`The name of a property must have 1 to ${limits.propertyNameCharsMax} characters`);
  }
  if (name.startsWith("$")) throw new Verdict("The name of a property must not start with '$'");
  if (name === "time" || name === "event_name") throw new Verdict(`The name '${name}' is reserved and cannot be a property`);
}

function checkPropertyText(name: string, text: string): void {
  if (hasAtMostChars(text, limits.stringValueCharsMax)) return;
  throw new Verdict(`The property '${quoted(name)}' is longer than ${limits.stringValueCharsMax} characters`);
}

function withoutRest(value: RawObject, faults: FieldFaults): JsonObject | undefined {
  const sent = Object.entries(value).filter(([, property]) => property !== null);
  const kept = sent.slice(0, limits.propertiesPerObjectMax);
  if (kept.length < sent.length) {
    faults.note("properties", `There are ${sent.length} properties and may be ${kept.length}: the first ${kept.length} were taken`);
  }
  return kept.length === 0 ? undefined : Object.fromEntries(kept) as Record<string, Json>;
}
