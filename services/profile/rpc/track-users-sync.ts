/** RPC TrackUsersSync: one object, and the user as it is after it. */
import { Buffer } from "node:buffer";
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
import type { ObjectError } from "../domain/check-track.ts";
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
    render: (key, profile, full) => profile === undefined ? nobody : answerOf(toJsonBytes(syncUser(key, profile)), full),
    firstAnswer: mark && (async (make) => {
      const sealed = await firstAnswer(parts, { request, mark }, async () => await sealAnswer(scope, await make()));
      return await openAnswer(scope, sealed);
    }),
  });
  const { user, full } = readAnswer(answer);
  return create(TrackUsersSyncResponseSchema, {
    usersJson: user.length === 0 ? [] : [user],
    errors: [...errors, ...full],
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

/** The user, and behind a line's end, which no compact JSON holds, what there was no room for: a repeat is told the same. */
function answerOf(user: Uint8Array, full: readonly ObjectError[]): Uint8Array {
  return full.length === 0 ? user : Buffer.concat([user, Buffer.from(`\n${JSON.stringify(full)}`)]);
}

function readAnswer(answer: Uint8Array): { readonly user: Uint8Array<ArrayBuffer>; readonly full: readonly ObjectError[] } {
  const end = answer.indexOf(lineEnd);
  if (end < 0) return { user: new Uint8Array(answer), full: [] };
  return { user: new Uint8Array(answer.subarray(0, end)), full: JSON.parse(Buffer.from(answer.subarray(end)).toString()) };
}

const lineEnd = 0x0a;
