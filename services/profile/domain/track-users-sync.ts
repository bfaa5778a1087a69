/** Use case: one object, answered with the user as it is after it (POST /users/track/sync). */
import { limits } from "../../../platform/limits.ts";
import { Refusal } from "../../../platform/refusal.ts";
import type { ReadParts } from "./catch-up.ts";
import { checkTrack, type TrackReport } from "./check-track.ts";
import { findUsers } from "./find-users.ts";
import type { Idempotency } from "./intake-record.ts";
import type { Profile } from "./profile.ts";
import { submit, type WriteParts, type WriteRequest, type Written } from "./submit.ts";
import type { UserKey } from "./user-key.ts";

export interface SyncInput {
  readonly body: unknown;
  readonly markOf?: (() => Idempotency) | undefined;
}

export interface SyncResult extends Written {
  readonly report: TrackReport;
  readonly key: UserKey;
  /** Undefined where the object was for existing users only and nobody was found. */
  readonly profile: Profile | undefined;
}

/**
 * Refuses INPUT_INVALID unless the body holds exactly one object in all (api-facts 2.9), and OUTCOME_UNKNOWN where the
 * object is durable but not applied in time.
 */
export async function trackUsersSync(
  parts: WriteParts & ReadParts,
  request: WriteRequest,
  input: SyncInput,
): Promise<SyncResult> {
  const report = checkTrack(input.body, { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0 });
  const [object, ...more] = report.objects;
  if (object === undefined || more.length + report.errors.length > 0) {
    throw new Refusal("INPUT_INVALID", `Expected exactly one object in all, got ${report.objects.length + report.errors.length}`);
  }
  const marked = input.markOf === undefined ? request : { ...request, idempotency: input.markOf() };
  const written = await submit(parts, marked, { body: { type: "track", objects: report.objects } });
  if (!await parts.applied.wait(written.position, limits.outcomeWaitMsMax)) throw new Refusal("OUTCOME_UNKNOWN");
  const [users] = await findUsers(parts.identities, request.workspaceId, [object.user]);
  const id = users?.[0]?.id;
  const stored = id === undefined ? undefined : (await parts.profiles.load(request.workspaceId, [id])).get(id);
  return { ...written, report, key: object.user, profile: stored };
}
