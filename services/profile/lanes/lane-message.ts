/** What leaves for the services that own consent: ConsentRecord of the domain -> heddle.lane.v1 and its lane. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { limits } from "../../../platform/limits.ts";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import { emailMarkNumbers, membershipNumbers, phoneMarkNumbers, statusNumbers } from "../intake/consent-message.ts";

/** A record as a store keeps it: which service hears it, the user or address that chooses the lane, and the bytes. */
export interface LaneRow {
  readonly service: "subscription" | "messaging-status";
  readonly key: string;
  readonly sequence: number;
  readonly part: number;
  /** How many users it says the same of. Absent: one. */
  readonly users?: number;
  readonly body: Uint8Array;
}

/**
 * The records in their order. A run of them that says the same of several users is one row, of `usersMax` users at most:
 * one decision may concern everybody who shares an address.
 */
export function laneRows(
  workspaceId: string,
  records: readonly ConsentRecord[],
  usersMax: number = limits.laneUsersPerRecordMax,
): LaneRow[] {
  const rows: LaneRow[] = [];
  for (let at = 0; at < records.length;) {
    const run = runAt(records, at, usersMax);
    const [first] = run;
    if (first === undefined) break;
    rows.push(run.length === 1 ? laneRow(workspaceId, first) : laneRowOfMany(workspaceId, run as MembershipRecord[]));
    at += run.length;
  }
  return rows;
}

/** The records from `at` on that differ in nothing but their user and their place, which rises by one. */
function runAt(records: readonly ConsentRecord[], at: number, usersMax: number): readonly ConsentRecord[] {
  const first = records[at];
  if (first === undefined) return [];
  let end = at + 1;
  if (!isPlain(first)) return [first];
  for (let next = records[end]; end - at < usersMax && next !== undefined && saysSame(first, next, end - at); next = records[end]) end += 1;
  return records.slice(at, end);
}

/** A membership of the user itself, said while the user is there. */
function isPlain(record: ConsentRecord): record is MembershipRecord {
  return record.type === "membership" && !record.carried && (record.side ?? []).length === 0;
}

function saysSame(first: MembershipRecord, next: ConsentRecord, distance: number): boolean {
  return isPlain(next) && next.groupId === first.groupId && next.state === first.state && next.part === first.part + distance &&
    next.sequence === first.sequence && next.at === first.at && next.requestId === first.requestId && next.actor === first.actor &&
    next.traceparent === first.traceparent;
}

function laneRowOfMany(workspaceId: string, run: readonly MembershipRecord[]): LaneRow {
  const [first] = run as [MembershipRecord];
  const { sequence, part, userId, groupId, state } = first;
  const value = { subscriptionGroupId: groupId, state: membershipNumbers[state], userIds: run.map((one) => one.userId) };
  const change = { case: "setMemberships" as const, value };
  const message = create(lane.SubscriptionRecordSchema, { workspaceId, userId, cause: causeOf(first), change });
  return {
    service: "subscription",
    key: userId,
    sequence,
    part,
    users: run.length,
    body: toBinary(lane.SubscriptionRecordSchema, message),
  };
}

/** The state of an address goes to messaging-status by address, everything else to subscription by user. */
export function laneRow(workspaceId: string, record: ConsentRecord): LaneRow {
  const { sequence, part } = record;
  const cause = causeOf(record);
  if ("address" in record) {
    const { address } = record;
    const message = create(lane.StatusRecordSchema, { workspaceId, address, cause, change: statusChange(record) });
    return { service: "messaging-status", key: address, sequence, part, body: toBinary(lane.StatusRecordSchema, message) };
  }
  const { userId } = record;
  const message = create(lane.SubscriptionRecordSchema, { workspaceId, userId, cause, change: subscriptionChange(record) });
  return { service: "subscription", key: userId, sequence, part, body: toBinary(lane.SubscriptionRecordSchema, message) };
}

function statusChange(record: StatusRecord): StatusChange {
  switch (record.type) {
    case "emailStatus":
      return { case: "setEmailStatus", value: { status: statusNumbers[record.status], carried: record.carried ?? false } };
    case "emailMark":
      return { case: "markEmail", value: { mark: emailMarkNumbers[record.mark] } };
    case "phoneMark":
      return { case: "markPhone", value: { mark: phoneMarkNumbers[record.mark] } };
  }
}

function subscriptionChange(record: SubscriptionRecord): SubscriptionChange {
  switch (record.type) {
    case "membership": {
      const { groupId, state, carried = false, side = [] } = record;
      return { case: "setMembership", value: { subscriptionGroupId: groupId, state: membershipNumbers[state], carried, side: [...side] } };
    }
    case "userDeleted":
      return { case: "userDeleted", value: {} };
    case "userMerged": {
      const { mergeId, sourceId, undoUntil } = record;
      return { case: "userMerged", value: { mergeId, sourceUserId: sourceId, undoUntil: BigInt(undoUntil) } };
    }
    case "mergeUndone":
      return { case: "mergeUndone", value: { mergeId: record.mergeId, sourceUserId: record.sourceId } };
  }
}

function causeOf(record: ConsentRecord): MessageInitShape<typeof lane.CauseSchema> {
  const { sequence, part, at, requestId, actor, traceparent = "" } = record;
  return { sequence: BigInt(sequence), part, at: BigInt(at), requestId, actor, traceparent };
}

type MembershipRecord = Extract<ConsentRecord, { type: "membership" }>;
type StatusRecord = Extract<ConsentRecord, { address: string }>;
type SubscriptionRecord = Exclude<ConsentRecord, StatusRecord>;
type StatusChange = NonNullable<MessageInitShape<typeof lane.StatusRecordSchema>["change"]>;
type SubscriptionChange = NonNullable<MessageInitShape<typeof lane.SubscriptionRecordSchema>["change"]>;
