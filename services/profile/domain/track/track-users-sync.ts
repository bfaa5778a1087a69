/** One object of a user, answered with the user as it is after it (POST /users/track/sync). */
import { limits } from "../../../../platform/limits.ts";
import { Refusal } from "../../../../platform/refusal.ts";
import { adds } from "../profile/apply-custom.ts";
import { type CheckOptions, checkTrack, type ObjectError } from "./check-track.ts";
import { quoted } from "../values/check-verdict.ts";
import type { Profile } from "../profile/profile.ts";
import type { TrackObject } from "../record/track-object.ts";

/** The object with those of its fields that were not taken. Refuses INPUT_INVALID unless the body holds exactly one object in all (api-facts 2.9). */
export function checkTrackSync(
  body: unknown,
  { groups, rejected }: Pick<CheckOptions, "groups" | "rejected">,
): { readonly object: TrackObject; readonly errors: readonly ObjectError[] } {
  const { objects, errors } = checkTrack(body, { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0, groups, rejected });
  const [object, ...more] = objects;
  const refused = refusedObjects(errors);
  if (object === undefined || more.length + refused > 0) {
    throw new Refusal("INPUT_INVALID", `Expected exactly one object in all, got ${objects.length + refused}`);
  }
  return { object, errors };
}

/** Attributes that the profile had no room for: they are not there after it was applied. */
export function fullErrors(object: TrackObject, profile: Profile | undefined): ObjectError[] {
  if (object.kind !== "attribute" || profile?.dropped === undefined) return [];
  const left = (object.custom ?? []).filter(([name, change]) => !profile.custom.has(name) && adds(change)).map(([name]) => name);
  const isFull = profile.custom.size >= limits.attributesPerProfileMax;
  const why = isFull
    ? `the user has ${limits.attributesPerProfileMax} custom attributes, which is the most`
    : `the profile has ${limits.profileBytesMax} bytes at most`;
  const more = left.length - limits.fieldFaultsPerObjectMax;
  return left.slice(0, limits.fieldFaultsPerObjectMax).map((name, at, names) => {
    const others = more > 0 && at === names.length - 1 ? `; ${more} more fields were not taken` : "";
    const type = `'${quoted(name)}' was not taken: ${why}, take others away first${others}`;
    return { type, inputArray: "attributes", index: 0, field: quoted(name) };
  });
}

/** An object may have several errors, and one with a field was taken. */
function refusedObjects(errors: readonly ObjectError[]): number {
  return new Set(errors.filter(({ field }) => field === undefined).map(({ inputArray, index }) => `${inputArray} ${index}`)).size;
}
