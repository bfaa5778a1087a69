/** Use case: one object, answered with the user as it is after it (POST /users/track/sync). */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { ReadParts } from "./catch-up.ts";
import { checkTrack, type ObjectError } from "./check-track.ts";
import { quoted } from "./check-verdict.ts";
import { findUsers } from "./find-users.ts";
import type { Profile } from "./profile.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";
import type { CustomChange, TrackObject } from "./track-object.ts";
import type { UserKey } from "./user-key.ts";

export interface SyncInput {
  readonly body: unknown;
  /** See CheckOptions. */
  readonly groups?: ReadonlySet<string> | undefined;
  readonly rejected?: ReadonlySet<string> | undefined;
  /** The answer, of how the user is: undefined where the object was for existing users only and nobody was found. */
  readonly render: (key: UserKey, profile: Profile | undefined, full: readonly ObjectError[]) => Uint8Array;
  /** Of a request that may be sent twice, called once it is applied: the answer that the first was given, or else what `make` gives. */
  readonly firstAnswer?: ((make: () => Promise<Uint8Array>) => Promise<Uint8Array>) | undefined;
}

export interface SyncResult extends Written {
  readonly answer: Uint8Array;
  /** Fields of the object that were not taken, as the object alone says it; those for which there was no room are in the answer. */
  readonly errors: readonly ObjectError[];
}

/**
 * Refuses INPUT_INVALID unless the body holds exactly one object in all (api-facts 2.9), and OUTCOME_UNKNOWN where the
 * object is durable but not applied in time.
 */
export async function trackUsersSync(
  parts: WriteParts & ReadParts,
  request: WriteRequest,
  { body, groups, rejected, render, firstAnswer }: SyncInput,
): Promise<SyncResult> {
  const report = checkTrack(body, { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0, groups, rejected });
  const [object, ...more] = report.objects;
  const refused = refusedObjects(report.errors);
  if (object === undefined || more.length + refused > 0) {
    throw new Refusal("INPUT_INVALID", `Expected exactly one object in all, got ${report.objects.length + refused}`);
  }
  const { user } = object;
  const written = await submit(parts, request, { body: { type: "track", objects: report.objects } });
  if (!await parts.applied.wait(written.position, limits.outcomeWaitMsMax)) throw new Refusal("OUTCOME_UNKNOWN");
  return { ...written, errors: report.errors, answer: await (firstAnswer === undefined ? rendered() : firstAnswer(rendered)) };

  async function rendered(): Promise<Uint8Array> {
    const profile = await profileOf(parts, request, user);
    return render(user, profile, object === undefined ? [] : fullErrors(object, profile));
  }
}

/** Attributes that the profile had no room for: they are not there after it was applied. */
function fullErrors(object: TrackObject, profile: Profile | undefined): ObjectError[] {
  if (object.kind !== "attribute" || profile?.dropped === undefined) return [];
  const left = (object.custom ?? []).filter(([name, change]) => !profile.custom.has(name) && adds(change)).map(([name]) => name);
  const isFull = profile.custom.size >= limits.attributesPerProfileMax;
  const why = isFull
    ? `the user has ${limits.attributesPerProfileMax} custom attributes, which is the most`
    : `the profile has ${limits.profileBytesMax} bytes at most`;
  const more = left.length - limits.fieldFaultsPerObjectMax;
  return left.slice(0, limits.fieldFaultsPerObjectMax).map((name, at, told) => {
    const others = more > 0 && at === told.length - 1 ? `; ${more} more fields were not taken` : "";
    const type = `'${quoted(name)}' was not taken: ${why}, take others away first${others}`;
    return { type, inputArray: "attributes", index: 0, field: quoted(name) };
  });
}

/** What leaves a value where there was none. */
function adds(change: CustomChange): boolean {
  switch (change.op) {
    case "set":
    case "merge":
    case "increment":
      return true;
    case "members":
    case "objects":
      return change.add.length > 0;
    default:
      return false;
  }
}

/** An object may have several errors, and one with a field was taken. */
function refusedObjects(errors: readonly ObjectError[]): number {
  return new Set(errors.filter(({ field }) => field === undefined).map(({ inputArray, index }) => `${inputArray} ${index}`)).size;
}

async function profileOf({ identities, profiles }: ReadParts, { workspaceId }: WriteRequest, user: UserKey): Promise<Profile | undefined> {
  const [users] = await findUsers(identities, workspaceId, [user]);
  const id = users?.[0]?.id;
  return id === undefined ? undefined : (await profiles.load(workspaceId, [id])).get(id);
}
