/** RPC TrackUsers: the body is parsed here, once; counts and verdicts go back. */
import { create } from "@bufbuild/protobuf";
import { markOf } from "../../../platform/intake/idempotency.ts";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type TrackUsersRequest,
  type TrackUsersResponse,
  TrackUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { checkTrack, type TrackReport } from "../domain/check-track.ts";
import { trackBody } from "../intake/body-message.ts";
import { submit } from "../intake/submit.ts";
import type { Unapplied } from "../intake/unapplied.ts";
import { rejectedFor, type RejectingParts } from "./rejected-for.ts";
import { answered, groupsOf, repeatedWith } from "./request.ts";

export interface TrackDeps extends RejectingParts {
  readonly unapplied: Unapplied;
}

/** Refuses BEHIND, before anything is looked at. */
export async function handleTrackUsers(parts: TrackDeps, message: TrackUsersRequest): Promise<TrackUsersResponse> {
  const { answer, written } = await parts.unapplied.inTurn(
    scopeOf(message).workspaceId,
    message.bodyJson.length,
    () => track(parts, message),
  );
  return answered(TrackUsersResponseSchema, answer, written);
}

async function track(parts: RejectingParts, message: TrackUsersRequest) {
  const scope = scopeOf(message);
  const report = checkTrack(parseJson(message.bodyJson, { weightMax: limits.trackJsonWeightMax }), {
    objectsPerArrayMax: message.objectsPerArrayMax,
    objectsMax: message.objectsMax,
    objectsPerUserMax: message.objectsPerUserMax,
    groups: groupsOf(message),
    rejected: await rejectedFor(parts, scope),
  });
  const answer = answerOf(report);
  const written = await submit(parts, scope, {
    body: trackBody(report.objects),
    mark: scope.idempotencyKey === ""
      ? undefined
      : markOf(scope, message.bodyJson, repeatedWith(TrackUsersResponseSchema, answer, limits.trackIdempotencyKeepMs)),
    priority: message.bulk ? "low" : "normal",
  });
  return { answer, written, position: written.position };
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
