/** heddle.intake.v1.IntakeRecord in binary. */
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { IntakeRecordSchema, OriginSchema, TrackObjectsSchema } from "../../proto/gen/heddle/intake/v1/intake_pb.ts";
import { fieldNumbers, MessageBytes } from "../message-bytes.ts";
import { userIdsVersion, writtenVersion } from "../record-version.ts";
import type { RequestContext } from "../request-context.ts";
import type { IdempotencyEntry } from "./idempotency.ts";

export type IntakeBody = NonNullable<MessageInitShape<typeof IntakeRecordSchema>["body"]>;

/** `now`: Unix milliseconds. What nearly every request has is written field by field: its origin, and objects of /users/track. */
export function encodeRecord(
  context: Origin,
  { body, idempotency }: { readonly body: IntakeBody; readonly idempotency?: IdempotencyEntry | undefined },
  now: number,
): Uint8Array {
  const { workspaceId, requestId, actor, traceparent } = context;
  origin.clear();
  origin.string(inOrigin.requestId, requestId);
  origin.string(inOrigin.actor, actor);
  origin.number(inOrigin.receivedAt, now);
  origin.string(inOrigin.traceparent, traceparent);
  record.clear();
  record.string(inRecord.workspaceId, workspaceId);
  record.message(inRecord.origin, origin);
  if (idempotency !== undefined) record.written(toBinary(IntakeRecordSchema, create(IntakeRecordSchema, { idempotency })));
  record.number(inRecord.version, versionOf(body));
  if (body.case === "track" && body.value.objectsJson !== undefined) {
    track.clear();
    track.blob(inTrack.objectsJson, body.value.objectsJson);
    record.message(inRecord.track, track);
  } else record.written(toBinary(IntakeRecordSchema, create(IntakeRecordSchema, { body }), { writeUnknownFields: false }));
  return record.take();
}

function versionOf(body: IntakeBody): number {
  const namesIds = body.case === "setMemberships" && body.value.updates?.some(({ userIds = [] }) => userIds.length > 0);
  return namesIds ? userIdsVersion : writtenVersion;
}

type Origin = Pick<RequestContext, "workspaceId" | "requestId" | "actor" | "traceparent">;

const record = new MessageBytes();
const origin = new MessageBytes();
const track = new MessageBytes();
const inRecord = fieldNumbers(IntakeRecordSchema);
const inOrigin = fieldNumbers(OriginSchema);
const inTrack = fieldNumbers(TrackObjectsSchema);
