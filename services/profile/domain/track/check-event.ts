/** Checks one element of `events`. */
import { limits } from "../../../../platform/limits.ts";
import type { Draft, RawObject } from "../values/check-json.ts";
import { checkTime, isUpdateOnly, occurrenceChecks, writeOptional } from "./check-occurrence.ts";
import { checkName } from "../values/check-text.ts";
import { checkUser } from "./check-user.ts";
import { FieldFaults, verdictsOf } from "../values/check-verdict.ts";
import type { EventObject } from "../record/track-object.ts";

/** The event that the client's object stands for, or a Verdict ("Event object"; api-facts 2.6). Other keys are ignored. */
export function checkEvent(raw: RawObject, faults: FieldFaults = new FieldFaults()): EventObject {
  const user = checkUser(raw);
  const event: Draft<EventObject> = {
    kind: "event",
    user,
    updateOnly: isUpdateOnly(raw, user),
    name: checkName("name", raw["name"], limits.eventNameCharsMax),
    time: checkTime(raw),
  };
  writeOptional(event, raw, faults);
  return event;
}

/** Everything that is wrong with an event that is refused. */
export function eventVerdicts(raw: RawObject): string[] {
  return verdictsOf([() => checkUser(raw), () => checkName("name", raw["name"], limits.eventNameCharsMax), ...occurrenceChecks(raw)]);
}
