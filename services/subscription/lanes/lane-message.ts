/** A record of the lane: heddle.lane.v1.SubscriptionRecord -> MembershipRecord of the domain. */
import { fromBinary } from "@bufbuild/protobuf";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { type SubscriptionRecord, SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { MembershipChange, MembershipRecord } from "../domain/membership-record.ts";
import type { Mark, MembershipState } from "../domain/memberships.ts";

/** What the bytes say, of one user each. Throws on bytes that are no record. */
export function decodeLaneRecord({ sequence, part, body }: LaneRecord): MembershipRecord[] {
  return recordsFromMessage(fromBinary(SubscriptionRecordSchema, body), [sequence, part]);
}

/** A record that says itself where it belongs, as lanes of a log carry it. Throws on bytes that are no record. */
export function decodeLaneBody(body: Uint8Array): { readonly workspaceId: string; readonly records: readonly MembershipRecord[] } {
  const message = fromBinary(SubscriptionRecordSchema, body);
  const { workspaceId, cause } = message;
  if (workspaceId === "" || cause === undefined) throw new Error("Expected a subscription record with a workspace and a cause, got none");
  return { workspaceId, records: recordsFromMessage(message, [Number(cause.sequence), cause.part]) };
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

function recordsFromMessage(message: SubscriptionRecord, [sequence, part]: Mark): MembershipRecord[] {
  if (message.userId === "") throw new Error("Expected a subscription record with a user, got none");
  const change = changeFromMessage(message.change);
  const users = message.change.case === "setMemberships" ? message.change.value.userIds : [message.userId];
  const said = saidIn(message);
  return users.map((userId, at) => ({ userId, mark: [sequence, part + at], ...said, change }));
}

function saidIn(message: SubscriptionRecord): Pick<MembershipRecord, "at" | "requestId" | "actor" | "traceparent"> {
  return {
    at: Number(message.cause?.at ?? 0n),
    requestId: message.cause?.requestId ?? "",
    actor: message.cause?.actor ?? "",
    ...(message.cause?.traceparent && { traceparent: message.cause.traceparent }),
  };
}

function changeFromMessage(change: SubscriptionRecord["change"]): MembershipChange {
  switch (change.case) {
    case "setMembership": {
      const { subscriptionGroupId, state, carried, side } = change.value;
      return { type: "set", groupId: subscriptionGroupId, state: stateFromMessage(state), carried, side };
    }
    case "setMemberships": {
      const { subscriptionGroupId, state } = change.value;
      return { type: "set", groupId: subscriptionGroupId, state: stateFromMessage(state), carried: false, side: [] };
    }
    case "userMerged": {
      const { mergeId, sourceUserId, undoUntil } = change.value;
      return { type: "merged", mergeId, sourceId: sourceUserId, undoUntil: Number(undoUntil) };
    }
    case "mergeUndone":
      return { type: "undone", mergeId: change.value.mergeId, sourceId: change.value.sourceUserId };
    case "userDeleted":
      return { type: "deleted" };
    case undefined:
      throw new Error("Expected a subscription record with a change, got none");
  }
}

/** Consent is never guessed: a state that is neither is no record. */
function stateFromMessage(state: SubscriptionState): MembershipState {
  if (state === SubscriptionState.SUBSCRIBED) return "subscribed";
  if (state === SubscriptionState.UNSUBSCRIBED) return "unsubscribed";
  throw new Error(`Expected subscribed or unsubscribed, got the number ${state}`);
}
