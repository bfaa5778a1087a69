/** An intake record, as JSON data for a human: heddle.intake.v1.IntakeRecord with the objects of `/users/track` as they were checked. */
import { Buffer } from "node:buffer";
import { fromBinary } from "@bufbuild/protobuf";
import { messageJson } from "../../../platform/lane/shown-record.ts";
import { IntakeRecordSchema } from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";

/** Also of a record that cannot be resolved. Throws on bytes that are no message. */
export function recordJson(bytes: Uint8Array): unknown {
  const message = fromBinary(IntakeRecordSchema, bytes);
  const json = messageJson(IntakeRecordSchema, message) as object;
  if (message.body.case !== "track") return json;
  return { ...json, track: { objects: JSON.parse(Buffer.from(message.body.value.objectsJson).toString()) } };
}
