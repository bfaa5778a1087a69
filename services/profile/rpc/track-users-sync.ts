/** RPC TrackUsersSync: one object, and the user as it is after it. */
import { create } from "@bufbuild/protobuf";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import {
  type Scope,
  type TrackUsersSyncRequest,
  type TrackUsersSyncResponse,
  TrackUsersSyncResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { ReadParts } from "../domain/catch-up.ts";
import type { Idempotency } from "../domain/intake-record.ts";
import { trackUsersSync } from "../domain/track-users-sync.ts";
import { firstAnswer } from "./first-answer.ts";
import { toJsonBytes } from "./json-bytes.ts";
import { rejectedFor, type RejectingParts } from "./rejected-for.ts";
import { positionToToken } from "./position-token.ts";
import { callerOf, groupsOf, markOf, scopeOf } from "./request.ts";
import { openAnswer, sealAnswer } from "./sealed-answer.ts";
import { syncUser } from "./sync-user.ts";

export async function handleTrackUsersSync(
  parts: RejectingParts & ReadParts,
  message: TrackUsersSyncRequest,
): Promise<TrackUsersSyncResponse> {
  const scope = scopeOf(message);
  const mark = syncMark(scope, message.bodyJson);
  const request = { ...callerOf(scope), ...(mark && { idempotency: mark }) };
  const { answer, errors, ...written } = await trackUsersSync(parts, request, {
    body: parseJson(message.bodyJson, { weightMax: limits.trackJsonWeightMax }),
    groups: groupsOf(message),
    rejected: await rejectedFor(parts, scope),
    render: (key, profile) => profile === undefined ? nobody : toJsonBytes(syncUser(key, profile)),
    firstAnswer: mark && (async (make) => {
      const sealed = await firstAnswer(parts, { request, mark }, async () => await sealAnswer(scope, await make()));
      return await openAnswer(scope, sealed);
    }),
  });
  return create(TrackUsersSyncResponseSchema, {
    usersJson: answer.length === 0 ? [] : [answer],
    errors: [...errors],
    position: positionToToken(written.position),
    replayed: written.repeatOf !== undefined,
  });
}

/** Without an answer: how the user will be is known only once the request is applied. */
function syncMark(scope: Scope, body: Uint8Array): Idempotency | undefined {
  if (scope.idempotencyKey === "") return undefined;
  const schema = TrackUsersSyncResponseSchema;
  return markOf(scope, body, { schema, message: create(schema), keepMs: limits.trackIdempotencyKeepMs });
}

const nobody = new Uint8Array();
