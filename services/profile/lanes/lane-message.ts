/** What leaves for the services that own consent: ConsentRecord of the domain -> heddle.lane.v1 and its lane. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { MessageInitShape } from "@bufbuild/protobuf";
import * as lane from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import type { EmailStatus } from "../domain/track-object.ts";

/** A record as a store keeps it: which service hears it, the user or address that chooses the lane, and the bytes. */
export interface LaneRow {
  readonly service: "subscription" | "messaging-status";
  readonly key: string;
  readonly sequence: number;
  readonly part: number;
  readonly body: Uint8Array;
}

/** Email status goes to messaging-status by address, everything else to subscription by user. */
export function laneRow(workspaceId: string, record: ConsentRecord): LaneRow {
  const { sequence, part } = record;
  if (record.type === "emailStatus") {
    const message = create(lane.StatusRecordSchema, {
      workspaceId,
      address: record.address,
      cause: causeOf(record),
      change: { case: "setEmailStatus", value: { status: statusNumbers[record.status] } },
    });
    const body = toBinary(lane.StatusRecordSchema, message);
    return { service: "messaging-status", key: record.address, sequence, part, body };
  }
  const message = create(lane.SubscriptionRecordSchema, {
    workspaceId,
    userId: record.userId,
    cause: causeOf(record),
    change: subscriptionChange(record),
  });
  const body = toBinary(lane.SubscriptionRecordSchema, message);
  return { service: "subscription", key: record.userId, sequence, part, body };
}

function subscriptionChange(record: SubscriptionRecord): SubscriptionChange {
  switch (record.type) {
    case "membership": {
      const state = record.state === "subscribed" ? lane.SubscriptionState.SUBSCRIBED : lane.SubscriptionState.UNSUBSCRIBED;
      return { case: "setMembership", value: { subscriptionGroupId: record.groupId, state } };
    }
    case "userDeleted":
      return { case: "userDeleted", value: {} };
    case "userMerged":
      return { case: "userMerged", value: { mergeId: record.mergeId, sourceUserId: record.sourceId } };
    case "mergeUndone":
      return { case: "mergeUndone", value: { mergeId: record.mergeId, sourceUserId: record.sourceId } };
  }
}

function causeOf(record: ConsentRecord): MessageInitShape<typeof lane.CauseSchema> {
  const { sequence, part, at, requestId, actor } = record;
  return { sequence: BigInt(sequence), part, at: BigInt(at), requestId, actor };
}

const statusNumbers: Record<EmailStatus, lane.EmailStatus> = {
  opted_in: lane.EmailStatus.OPTED_IN,
  subscribed: lane.EmailStatus.SUBSCRIBED,
  unsubscribed: lane.EmailStatus.UNSUBSCRIBED,
};

type SubscriptionRecord = Exclude<ConsentRecord, { type: "emailStatus" }>;
type SubscriptionChange = NonNullable<MessageInitShape<typeof lane.SubscriptionRecordSchema>["change"]>;
