/** A record of the intake log in bytes: heddle.intake.v1.IntakeRecord -> IntakeRecord of the domain. */
import { Buffer } from "node:buffer";
import { fromBinary } from "@bufbuild/protobuf";
import { hexOf } from "../../../platform/intake/idempotency.ts";
import { checkVersion } from "../../../platform/record-version.ts";
import * as intake from "../../../proto/gen/heddle/intake/v1/intake_pb.ts";
import type { Idempotency, IntakeRecord } from "../domain/record/intake-record.ts";
import { bodyFromMessage } from "./body-message.ts";

/** Throws on bytes that are no record: the record becomes a dead letter. Throws UnknownVersion of one that a newer build wrote. */
export function decodeRecord(sequence: number, bytes: Uint8Array): IntakeRecord {
  const message = fromBinary(intake.IntakeRecordSchema, bytes);
  checkVersion(message.version);
  if (message.workspaceId === "") throw new Error("Expected an intake record with a workspace, got none");
  const record = {
    sequence,
    workspaceId: message.workspaceId,
    requestId: message.origin?.requestId ?? "",
    actor: message.origin?.actor ?? "",
    receivedAt: Number(message.origin?.receivedAt ?? 0n),
    ...(message.origin?.traceparent && { traceparent: message.origin.traceparent }),
    body: bodyFromMessage(message.body),
  };
  return message.idempotency === undefined ? record : { ...record, idempotency: idempotencyFrom(message.idempotency) };
}

function idempotencyFrom(message: intake.Idempotency): Idempotency {
  return {
    keyHash: hexOf(message.keyHash),
    bodyHash: hexOf(message.bodyHash),
    ...(message.sentHash.length > 0 && { sentHash: hexOf(message.sentHash) }),
    keepMs: Number(message.keepMs),
    answer: Buffer.from(message.answer).toString("base64"),
  };
}
