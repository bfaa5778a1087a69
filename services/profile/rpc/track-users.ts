/** RPC TrackUsers: the body is parsed here, once; counts and verdicts go back. */
import { create } from "@bufbuild/protobuf";
import { idempotencyOf, keyHashOf } from "../../../platform/intake/idempotency.ts";
import { parseJson } from "../../../platform/json.ts";
import { limits } from "../../../platform/limits.ts";
import { scopeOf } from "../../../platform/request-context.ts";
import {
  type Scope,
  type TrackUsersRequest,
  type TrackUsersResponse,
  TrackUsersResponseSchema,
} from "../../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { checkTrack } from "../domain/track/check-track.ts";
import type { RepeatRow } from "../domain/identity/identity.ts";
import type { IdentityStore } from "../domain/ports.ts";
import type { RejectedUsers } from "../domain/profile/rejection.ts";
import { trackBody } from "../intake/body-message.ts";
import { submit, type WriteDeps } from "../intake/submit.ts";
import type { Unapplied } from "../intake/unapplied.ts";
import { rowKey } from "./first-answer.ts";
import { groupsOf } from "./request.ts";
import { answered, repeatedWith } from "./write.ts";

export interface TrackDeps extends WriteDeps {
  readonly unapplied: Unapplied;
  readonly rejected: RejectedUsers;
  readonly identities: IdentityStore;
}

/** Refuses BEHIND, before anything is looked at. */
export async function trackUsers(deps: TrackDeps, message: TrackUsersRequest): Promise<TrackUsersResponse> {
  const { answer, written } = await deps.unapplied.inTurn(
    scopeOf(message).workspaceId,
    message.bodyJson.length,
    () => track(deps, message),
  );
  return answered(TrackUsersResponseSchema, answer, written);
}

async function track(deps: TrackDeps, message: TrackUsersRequest) {
  const scope = scopeOf(message);
  const { objects, ...report } = checkTrack(parseJson(message.bodyJson, { weightMax: limits.trackJsonWeightMax }), {
    objectsPerArrayMax: message.objectsPerArrayMax,
    objectsMax: message.objectsMax,
    objectsPerUserMax: message.objectsPerUserMax,
    groups: groupsOf(message),
    rejected: await rejectedFor(deps, scope),
  });
  const answer = create(TrackUsersResponseSchema, report);
  const written = await submit(deps, scope, {
    body: trackBody(objects),
    idempotency: scope.idempotencyKey === ""
      ? undefined
      : idempotencyOf(scope, message.bodyJson, repeatedWith(TrackUsersResponseSchema, answer, limits.trackIdempotencyKeepMs)),
    priority: message.bulk ? "low" : "normal",
  });
  return { answer, written, position: written.position };
}

/**
 * Names of the users whose objects are not taken. None for a request that was answered before: it does nothing again, and has the answer
 * of the first, though its users may be rejected by now.
 */
export async function rejectedFor({ rejected, identities, clock }: TrackDeps, scope: Scope): Promise<ReadonlySet<string> | undefined> {
  const { workspaceId, idempotencyKey } = scope;
  const names = rejected.namesIn(workspaceId);
  if (names === undefined || idempotencyKey === "") return names;
  const key = rowKey(keyHashOf(scope));
  const first = (await identities.load(workspaceId, [key])).get(key) as RepeatRow | undefined;
  return first !== undefined && clock.now() < first.expiresAt ? undefined : names;
}
