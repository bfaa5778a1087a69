/** A record of the lane: heddle.lane.v1.SubscriptionRecord -> what is said of each user. */
import type { RecordId } from "../../../platform/age.ts";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { causeFromMessage, decodedOf, type LaneMessages, laneMessages, orError } from "../../consent/engine/lane-message.ts";
import { type DecodedRecord, keyOf } from "../../../platform/lane/hold-back.ts";
import type { LaneRecord } from "../../../platform/lane/lane.ts";
import { messageJson } from "../../../platform/lane/shown-record.ts";
import { limits } from "../../../platform/limits.ts";
import { writtenVersion } from "../../../platform/record-version.ts";
import { type SubscriptionRecord, SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { GroupChange } from "../domain/group-order.ts";
import type { MembershipChange, MembershipRecord } from "../domain/membership-record.ts";
import type { MembershipState } from "../domain/memberships.ts";
import { groupChangeFromMessage } from "./group-message.ts";

/** What is asked of the groups of the workspace. */
export interface GroupsContent {
  readonly mark: RecordId;
  readonly change: GroupChange;
}

/** Under this name an applier is asked for declarations, as for a user: ids of users are made of hex digits. */
export const groupsName = "groups";

export const membershipMessages: LaneMessages<MembershipRecord, GroupsContent> = laneMessages({
  title: "subscription record",
  parse: (body) => fromBinary(SubscriptionRecordSchema, body),
  toJson: (message) => messageJson(SubscriptionRecordSchema, message),
  // All memberships of a workspace are in one lane, where a merge waits for two users: what waits is tried together
  redriveToBytes: (workspaceId, { skipped }) => recordToBytes({ workspaceId, change: { case: "redrive", value: { skipped } } }),
  decodedFrom,
  alike({ change }) {
    if (change.case !== "setMemberships" || change.value.userIds.length === 0) return undefined;
    return { names: change.value.userIds, isOfMany: change.value.usersInAll >= limits.fanOutUsersMin };
  },
  ofWorkspace: {
    name: groupsName,
    from({ change }, { sequence, part }): GroupsContent | Error | undefined {
      if (change.case !== "changeGroups") return undefined;
      return orError(() => ({ mark: [sequence, part] as const, change: groupChangeFromMessage(change.value) }));
    },
  },
});

function recordToBytes(record: MessageInitShape<typeof SubscriptionRecordSchema>): Uint8Array {
  return toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { version: writtenVersion, ...record }));
}

function decodedFrom(message: SubscriptionRecord, row: LaneRecord): DecodedRecord<MembershipRecord>[] {
  const cause = causeFromMessage(message.cause);
  const change = orError(() => changeOf(message));
  if (message.change.case === "setMemberships") {
    return message.change.value.userIds.map((userId, at) => {
      const own = { ...row, part: row.part + at, key: userId };
      return recordOf({ userId, mark: [own.sequence, own.part], ...cause }, change, {
        keys: [userId],
        toRow: () => ({ ...own, body: bodyOfOne(message, userId, at) }),
      });
    });
  }
  const { userId } = message;
  const keys = usersIn(message);
  return [recordOf({ userId, mark: [row.sequence, row.part], ...cause }, change, { keys, toRow: () => ({ ...row, key: keyOf(keys) }) })];
}

function recordOf(
  record: Omit<MembershipRecord, "change">,
  change: MembershipChange | Error,
  own: Pick<DecodedRecord<MembershipRecord>, "keys" | "toRow">,
): DecodedRecord<MembershipRecord> {
  return decodedOf(record.mark, change instanceof Error ? change : { ...record, change }, own);
}

/** One of several users' part, as a record of its own. */
function bodyOfOne({ workspaceId, cause, change }: SubscriptionRecord, userId: string, at: number): Uint8Array {
  const { subscriptionGroupId = "", state = SubscriptionState.UNSPECIFIED } = change.case === "setMemberships" ? change.value : {};
  return recordToBytes({
    workspaceId,
    userId,
    ...(cause && { cause: { ...cause, part: cause.part + at } }),
    change: { case: "setMembership", value: { subscriptionGroupId, state } },
  });
}

function usersIn({ userId, change }: SubscriptionRecord): string[] {
  const source = change.case === "userMerged" || change.case === "mergeUndone" ? [change.value.sourceUserId] : [];
  return [userId, ...source].filter((user) => user !== "");
}

function changeOf({ userId, change }: SubscriptionRecord): MembershipChange {
  if (userId === "") throw new Error("Expected a subscription record with a user, got none");
  return changeFromMessage(change);
}

function changeFromMessage(change: SubscriptionRecord["change"]): MembershipChange {
  switch (change.case) {
    case "setMembership": {
      const { subscriptionGroupId, state, carried, side, askedSequence, laterSequences } = change.value;
      const laterAt = laterSequences.map(Number);
      const set = { groupId: subscriptionGroupId, state: stateFromMessage(state), carried, side, laterAt };
      return { type: "set", ...set, ...(askedSequence > 0n && { askedAt: Number(askedSequence) }) };
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
    case "redrive":
    case "changeGroups":
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
