/** RPC TrackUsers: the body is parsed here, once; counts and verdicts go back. */
import { create } from "@bufbuild/protobuf";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import {
  type TrackUsersRequest,
  type TrackUsersResponse,
  TrackUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import type { TrackReport } from "../domain/check-track.ts";
import { trackUsers } from "../domain/track-users.ts";
import { rejectedFor, type RejectingParts } from "./rejected-for.ts";
import { answered, callerOf, groupsOf, markOf, scopeOf } from "./request.ts";

export async function handleTrackUsers(parts: RejectingParts, message: TrackUsersRequest): Promise<TrackUsersResponse> {
  const scope = scopeOf(message);
  const { report, ...written } = await trackUsers(parts, callerOf(scope), {
    body: parseJson(message.bodyJson, { weightMax: limits.trackJsonWeightMax }),
    limits: {
      objectsPerArrayMax: message.objectsPerArrayMax,
      objectsMax: message.objectsMax,
      objectsPerUserMax: message.objectsPerUserMax,
      groups: groupsOf(message),
      rejected: await rejectedFor(parts, scope),
    },
    bulk: message.bulk,
    markOf: scope.idempotencyKey === "" ? undefined : (report) =>
      markOf(scope, message.bodyJson, {
        schema: TrackUsersResponseSchema,
        message: answerOf(report),
        keepMs: limits.trackIdempotencyKeepMs,
      }),
  });
  return answered(TrackUsersResponseSchema, answerOf(report), written);
}

function answerOf(report: TrackReport): TrackUsersResponse {
  const { attributesProcessed, eventsProcessed, purchasesProcessed, errors } = report;
  return create(TrackUsersResponseSchema, {
    ...(attributesProcessed !== undefined && { attributesProcessed }),
    ...(eventsProcessed !== undefined && { eventsProcessed }),
    ...(purchasesProcessed !== undefined && { purchasesProcessed }),
    errors,
  });
}
