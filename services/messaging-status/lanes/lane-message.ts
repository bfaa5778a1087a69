/** A record of the lane: heddle.lane.v1.StatusRecord -> StatusRecord of the domain, and the names of states in messages. */
import { fromBinary } from "@bufbuild/protobuf";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { EmailMark, EmailStatus, InvalidReason, Mark } from "../domain/address-state.ts";
import type { StatusChange, StatusRecord } from "../domain/status-record.ts";

/** Throws on bytes that are no record. */
export function decodeLaneRecord({ sequence, part, body }: LaneRecord): StatusRecord {
  return recordFromMessage(fromBinary(lane.StatusRecordSchema, body), [sequence, part]);
}

/** A record that says itself where it belongs, as lanes of a log carry it. Throws on bytes that are no record. */
export function decodeLaneBody(body: Uint8Array): { readonly workspaceId: string; readonly record: StatusRecord } {
  const message = fromBinary(lane.StatusRecordSchema, body);
  const { workspaceId, cause } = message;
  if (workspaceId === "" || cause === undefined) throw new Error("Expected a status record with a workspace and a cause, got none");
  return { workspaceId, record: recordFromMessage(message, [Number(cause.sequence), cause.part]) };
}

/** Whether this build can read the record. */
export function isLaneRecord({ body, sequence, part }: LaneRecord): boolean {
  try {
    decodeLaneRecord({ workspaceId: "", key: "", body, sequence, part });
    return true;
  } catch {
    return false;
  }
}

function recordFromMessage(message: lane.StatusRecord, mark: Mark): StatusRecord {
  if (message.address === "") throw new Error("Expected a status record with an address, got none");
  return {
    address: message.address,
    mark,
    at: Number(message.cause?.at ?? 0n),
    requestId: message.cause?.requestId ?? "",
    actor: message.cause?.actor ?? "",
    ...(message.cause?.traceparent && { traceparent: message.cause.traceparent }),
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

const statusNames: ReadonlyMap<number, EmailStatus> = new Map([
  [lane.EmailStatus.OPTED_IN, "opted_in"],
  [lane.EmailStatus.SUBSCRIBED, "subscribed"],
  [lane.EmailStatus.UNSUBSCRIBED, "unsubscribed"],
]);

const emailMarkNames: ReadonlyMap<number, EmailMark> = new Map([
  [lane.EmailMark.BLOCKLISTED, "blocklisted"],
  [lane.EmailMark.HARD_BOUNCED, "hard_bounced"],
  [lane.EmailMark.SPAM, "spam"],
  [lane.EmailMark.BOUNCE_REMOVED, "bounce_removed"],
  [lane.EmailMark.SPAM_REMOVED, "spam_removed"],
]);

const phoneMarkNames: ReadonlyMap<number, InvalidReason | "removed"> = new Map([
  [lane.PhoneMark.PROVIDER_ERROR, "provider_error"],
  [lane.PhoneMark.DEACTIVATED, "deactivated"],
  [lane.PhoneMark.REMOVED, "removed"],
]);
