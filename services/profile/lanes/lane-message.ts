/** What leaves for the services that own consent: ConsentRecord of the domain -> heddle.lane.v1 and its lane. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import { emailMarkNumbers, membershipNumbers, phoneMarkNumbers, statusNumbers } from "../intake/consent-message.ts";

/** A record as a store keeps it: which service hears it, the user or address that chooses the lane, and the bytes. */
export interface LaneRow {
  readonly service: "subscription" | "messaging-status";
  readonly key: string;
  readonly sequence: number;
  readonly part: number;
  readonly body: Uint8Array;
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

type StatusRecord = Extract<ConsentRecord, { address: string }>;
type SubscriptionRecord = Exclude<ConsentRecord, StatusRecord>;
type StatusChange = NonNullable<MessageInitShape<typeof lane.StatusRecordSchema>["change"]>;
type SubscriptionChange = NonNullable<MessageInitShape<typeof lane.SubscriptionRecordSchema>["change"]>;
