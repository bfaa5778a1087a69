/** What the services that own consent get to read. */
import { fromBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EmailStatus, StatusRecordSchema, SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import { laneRow } from "./lane-message.ts";

const cause = { sequence: 2 ** 41, part: 3, at: 1_700_000_000_000, requestId: "r", actor: "k" };

test("laneRow() sends an email status to messaging-status, keyed by address", () => {
  const row = laneRow("w", { ...cause, type: "emailStatus", address: "a@x.org", status: "unsubscribed" });
  expect(row).toMatchObject({ service: "messaging-status", key: "a@x.org", sequence: 2 ** 41, part: 3 });
  expect(fromBinary(StatusRecordSchema, row.body)).toMatchObject({
    workspaceId: "w",
    address: "a@x.org",
    cause: { sequence: 2n ** 41n, part: 3, at: 1_700_000_000_000n, requestId: "r", actor: "k" },
    change: { case: "setEmailStatus", value: { status: EmailStatus.UNSUBSCRIBED } },
  });
});

const changes: [ConsentRecord, object][] = [
  [
    { ...cause, type: "membership", userId: "u", groupId: "g", state: "subscribed" },
    { case: "setMembership", value: { subscriptionGroupId: "g", state: SubscriptionState.SUBSCRIBED } },
  ],
  [{ ...cause, type: "userDeleted", userId: "u" }, { case: "userDeleted" }],
  [
    { ...cause, type: "userMerged", userId: "u", mergeId: "m", sourceId: "s" },
    { case: "userMerged", value: { mergeId: "m", sourceUserId: "s" } },
  ],
  [
    { ...cause, type: "mergeUndone", userId: "u", mergeId: "m", sourceId: "s" },
    { case: "mergeUndone", value: { mergeId: "m", sourceUserId: "s" } },
  ],
];

test.each(changes)("laneRow() sends the rest to subscription, keyed by user: $type", (record, change) => {
  const row = laneRow("w", record);
  expect(row).toMatchObject({ service: "subscription", key: "u" });
  expect(fromBinary(SubscriptionRecordSchema, row.body)).toMatchObject({ workspaceId: "w", userId: "u", change });
});
