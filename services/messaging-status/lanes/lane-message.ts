/** A record of the lane: heddle.lane.v1.StatusRecord -> StatusRecord of the domain, and the names of states in messages. */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { keysOf, type Taken, type Whose } from "../../../platform/lane/hold-back.ts";
import type { Concern } from "../../../platform/lane/lane-window.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { EmailMark, EmailStatus, InvalidReason, Mark } from "../domain/address-state.ts";
import type { StatusChange, StatusRecord } from "../domain/status-record.ts";

/** What a row of the lane says; its place is that of the row. */
export function takenFromRow(row: LaneRecord): Taken<StatusRecord>[] {
  const message = parsed(row.body);
  return [message instanceof Error ? unreadable(row, keysOf(row.key), message) : takenFrom(message, row)];
}

/** What a record of a lane of the log says: a change, or what an operator asks for, of the workspace that it names. */
export interface LaneSaid {
  /** Empty where the record does not say it. */
  readonly workspaceId: string;
  readonly said: Taken<StatusRecord> | Redrive;
}

export type Redrive = Pick<lane.Redrive, "keys" | "skipped">;

/** `place`: of the record in the lane, for what does not say its own. */
export function readLaneBody(body: Uint8Array, [sequence, part]: Mark): LaneSaid {
  const place = { workspaceId: "", sequence, part, key: "", body };
  const message = parsed(body);
  if (message instanceof Error) return { workspaceId: "", said: unreadable(place, [], message) };
  const { workspaceId, cause, change } = message;
  if (workspaceId !== "" && change.case === "redrive") return { workspaceId, said: change.value };
  if (workspaceId === "" || cause === undefined) {
    const reason = new Error("Expected a status record with a workspace and a cause, got none");
    return { workspaceId: "", said: unreadable(place, [], reason) };
  }
  return { workspaceId, said: takenFrom(message, { workspaceId, sequence: Number(cause.sequence), part: cause.part, key: "", body }) };
}

/** Whom a record of a lane of the log changes; undefined where it does not say, and of what an operator asks for. */
export function concernOf(body: Uint8Array): Concern | undefined {
  const { workspaceId, said } = readLaneBody(body, [0, 0]);
  if (workspaceId === "" || !("mark" in said) || said.keys.length === 0) return undefined;
  return { workspaceId, names: said.keys, isOfMany: false };
}

/** What asks the applier of a lane to try once more what was set aside of these addresses. */
export function redriveBody(
  workspaceId: string,
  { keys, skipped }: { readonly keys: readonly string[]; readonly skipped: readonly LaneRecord[] },
): Uint8Array {
  const change = { case: "redrive" as const, value: { keys: [...keys], skipped: skipped.map(placeOf) } };
  return toBinary(lane.StatusRecordSchema, create(lane.StatusRecordSchema, { workspaceId, change }));
}

/** Whose change the record is, where anybody can read that. */
export function whoseBody(body: Uint8Array): Whose | undefined {
  const { workspaceId, said } = readLaneBody(body, [0, 0]);
  const [key] = "mark" in said ? said.keys : [];
  return workspaceId === "" || key === undefined ? undefined : { workspaceId, key };
}

function placeOf({ sequence, part, key }: LaneRecord) {
  return { sequence: BigInt(sequence), part, key };
}

function parsed(body: Uint8Array): lane.StatusRecord | Error {
  try {
    return fromBinary(lane.StatusRecordSchema, body);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

function unreadable(row: LaneRecord, keys: readonly string[], { message: reason }: Error): Taken<StatusRecord> {
  return { mark: [row.sequence, row.part], keys, said: undefined, reason, kept: () => row };
}

function takenFrom(message: lane.StatusRecord, row: LaneRecord): Taken<StatusRecord> {
  const keys = keysOf(message.address);
  const kept = { ...row, key: message.address };
  const mark: Mark = [row.sequence, row.part];
  try {
    return { mark, keys, said: recordFromMessage(message, mark), reason: "", kept: () => kept };
  } catch (error) {
    return unreadable(kept, keys, error instanceof Error ? error : new Error(String(error)));
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
