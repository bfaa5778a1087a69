/** RPC TrackUsersSync: one object, and the user as it is after it. */
import { create } from "@bufbuild/protobuf";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import {
  type TrackUsersSyncRequest,
  type TrackUsersSyncResponse,
  TrackUsersSyncResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import type { WriteParts } from "../domain/submit.ts";
import { trackUsersSync } from "../domain/track-users-sync.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { positionToToken } from "./position-token.ts";
import { callerOf, markOf, scopeOf } from "./request.ts";
import { syncUser } from "./sync-user.ts";

/** A repeat answers with the user as it is by then: the first answer was not known when the request was written. */
export async function handleTrackUsersSync(
  parts: WriteParts & ReadParts,
  message: TrackUsersSyncRequest,
): Promise<TrackUsersSyncResponse> {
  const scope = scopeOf(message);
  const empty = { schema: TrackUsersSyncResponseSchema, message: create(TrackUsersSyncResponseSchema) };
  const result = await trackUsersSync(parts, callerOf(scope), {
    body: parseJson(message.bodyJson),
    markOf: scope.idempotencyKey === ""
      ? undefined
      : () => markOf(scope, message.bodyJson, { ...empty, keepMs: limits.trackIdempotencyKeepMs }),
  });
  return create(TrackUsersSyncResponseSchema, {
    usersJson: result.profile === undefined ? [] : [toJsonBytes(syncUser(result.key, result.profile))],
    position: positionToToken(result.position),
    replayed: result.repeatOf !== undefined,
  });
}
