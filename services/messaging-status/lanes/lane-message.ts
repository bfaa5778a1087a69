/** A record of the lane: heddle.lane.v1.StatusRecord -> StatusRecord of the domain, and the names of states in messages. */
import type { RecordId } from "../../../platform/age.ts";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { causeFromMessage, decodedOf, type LaneMessages, laneMessages, orError } from "../../consent/engine/lane-message.ts";
import { namesOf } from "../../../platform/enum-names.ts";
import { type DecodedRecord, keysOf } from "../../../platform/lane/hold-back.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { writtenVersion } from "../../../platform/record-version.ts";
import { messageJson } from "../../../platform/lane/shown-record.ts";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { StatusChange, StatusRecord } from "../domain/status-record.ts";

export const statusMessages: LaneMessages<StatusRecord> = laneMessages({
  title: "status record",
  parse: (body) => fromBinary(lane.StatusRecordSchema, body),
  toJson: (message) => messageJson(lane.StatusRecordSchema, message),
  redriveToBytes: (workspaceId, value) =>
    toBinary(
      lane.StatusRecordSchema,
      create(lane.StatusRecordSchema, { version: writtenVersion, workspaceId, change: { case: "redrive", value } }),
    ),
  decodedFrom: (message, row) => [decodedFrom(message, row)],
});

function decodedFrom(message: lane.StatusRecord, row: LaneRecord): DecodedRecord<StatusRecord> {
  const mark: RecordId = [row.sequence, row.part];
  const payload = orError(() => recordFromMessage(message, mark));
  return decodedOf(mark, payload, { keys: keysOf(message.address), toRow: () => ({ ...row, key: message.address }) });
}

function recordFromMessage(message: lane.StatusRecord, mark: RecordId): StatusRecord {
  if (message.address === "") throw new Error("Expected a status record with an address, got none");
  return {
    address: message.address,
    mark,
    ...causeFromMessage(message.cause),
    change: changeFromMessage(message.change),
  };
}

function changeFromMessage(change: lane.StatusRecord["change"]): StatusChange {
  switch (change.case) {
    case "setEmailStatus":
      return { type: "emailStatus", status: named(statusNames, change.value.status), carried: change.value.carried };
    case "markEmail":
      return { type: "emailMark", mark: named(emailMarkNames, change.value.mark) };
    case "markPhone":
      return { type: "phoneMark", mark: named(phoneMarkNames, change.value.mark) };
    case "redrive":
    case undefined:
      throw new Error("Expected a status record with a change, got none");
  }
}

/** Consent is never guessed: a number that no state has is no record. */
function named<Name>(names: ReadonlyMap<number, Name>, number: number): Name {
  const name = names.get(number);
  if (name === undefined) throw new Error(`Expected a known state, got the number ${number}`);
  return name;
}

const statusNames = namesOf(lane.EmailStatus);
const emailMarkNames = namesOf(lane.EmailMark);
const phoneMarkNames = namesOf(lane.PhoneMark);
