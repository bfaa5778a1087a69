/** What events and purchases have alike: a time, an app, properties, and when they may create a user. */
import { limits } from "../../../../platform/limits.ts";
import type { RawObject } from "../values/check-json.ts";
import { checkProperties, propertyChecks } from "./check-properties.ts";
import { checkFlag, checkText, timeForm } from "../values/check-text.ts";
import { FieldFaults, Verdict } from "../values/check-verdict.ts";
import { parseTime } from "../values/parse-time.ts";
import type { JsonObject } from "../record/track-object.ts";
import type { UserKey } from "../record/user-key.ts";

/** With an alias always, whatever the flag is (api-facts 12); otherwise only when it is true. */
export function isUpdateOnly(raw: RawObject, user: UserKey): boolean {
  return checkFlag(raw, "_update_existing_only") === true || user.by === "alias";
}

/** Unix milliseconds of `time`. Numbers are not taken, not as text either: it is unknown whether they are seconds. */
export function checkTime(raw: RawObject): number {
  const time = raw["time"];
  if (time === undefined || time === null) throw new Verdict("'time' is required");
  const ms = typeof time === "string" ? parseTime(time) : undefined;
  if (ms === undefined) throw new Verdict(`'time' is not a valid date: ${timeForm}`);
  return ms;
}

/** Writes `app_id` and `properties` where they were sent; null and nothing are the same. */
export function writeOptional(target: { appId?: string; properties?: JsonObject }, raw: RawObject, faults: FieldFaults): void {
  const { app_id: appId, properties } = raw;
  if (appId !== undefined && appId !== null && appId !== "") target.appId = checkText("app_id", appId, limits.appIdCharsMax);
  if (properties === undefined || properties === null) return;
  const kept = checkProperties(properties, faults);
  if (kept !== undefined) target.properties = kept;
}

/** The checks of all that is here, one by one, for callers that report every error. */
export function occurrenceChecks(raw: RawObject): (() => unknown)[] {
  const { properties, ...others } = raw;
  return [
    () => checkTime(raw),
    () => checkFlag(raw, "_update_existing_only"),
    () => writeOptional({}, others, new FieldFaults()),
    ...properties === undefined || properties === null ? [] : propertyChecks(properties),
  ];
}
