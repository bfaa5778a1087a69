/** What the services that own consent get to read. */
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  EmailMark,
  EmailStatus,
  PhoneMark,
  StatusRecordSchema,
  SubscriptionRecordSchema,
  SubscriptionState,
} from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import type { ConsentRecord } from "../domain/ports.ts";
import { laneRow, laneRows } from "./lane-message.ts";

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

test("laneRow() carries the traceparent of a request that is recorded", () => {
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  const status = laneRow("w", { ...cause, traceparent, type: "emailMark", address: "a@x.org", mark: "spam" });
  expect(fromBinary(StatusRecordSchema, status.body).cause?.traceparent).toBe(traceparent);
  const membership = laneRow("w", { ...cause, traceparent, type: "userDeleted", userId: "u" });
  expect(fromBinary(SubscriptionRecordSchema, membership.body).cause?.traceparent).toBe(traceparent);
});

type OneRecord = Parameters<typeof laneRow>[1];

const changes: [OneRecord, object][] = [
  [
    { ...cause, type: "membership", userId: "u", groupId: "g", state: "subscribed" },
    { case: "setMembership", value: { subscriptionGroupId: "g", state: SubscriptionState.SUBSCRIBED } },
  ],
  [{ ...cause, type: "userDeleted", userId: "u" }, { case: "userDeleted" }],
  [
    { ...cause, type: "membership", userId: "u", groupId: "g", state: "unsubscribed", carried: true, side: ["m", "n"] },
    { case: "setMembership", value: { state: SubscriptionState.UNSUBSCRIBED, carried: true, side: ["m", "n"] } },
  ],
  [
    { ...cause, type: "userMerged", userId: "u", mergeId: "m", sourceId: "s", undoUntil: 2 ** 42 },
    { case: "userMerged", value: { mergeId: "m", sourceUserId: "s", undoUntil: 2n ** 42n } },
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

const marks: [OneRecord, object][] = [
  [{ ...cause, type: "emailMark", address: "a@x.org", mark: "blocklisted" }, { case: "markEmail", value: { mark: EmailMark.BLOCKLISTED } }],
  [{ ...cause, type: "phoneMark", address: "+12125550123", mark: "removed" }, { case: "markPhone", value: { mark: PhoneMark.REMOVED } }],
];

test.each(marks)("laneRow() sends marks to messaging-status: $type", (record, change) => {
  const row = laneRow("w", record);
  expect(row.service).toBe("messaging-status");
  expect(fromBinary(StatusRecordSchema, row.body)).toMatchObject({ address: row.key, change });
});

describe("laneRows()", () => {
  const set = (part: number, more: object = {}): OneRecord => {
    return { ...cause, part, type: "membership", userId: `u${part}`, groupId: "g", state: "subscribed", ...more };
  };
  /** What `set` says of so many users from this one on. */
  const setOfRun = (part: number, users: number, more: object = {}): ConsentRecord => {
    const userIds = Array.from({ length: users }, (_, at) => `u${part + at}`);
    return { ...cause, part, type: "memberships", userIds, groupId: "g", state: "subscribed", ...more };
  };
  const rowsOf = (records: readonly ConsentRecord[], usersMax?: number) => [...laneRows("w", records, usersMax)];
  const shapes = (records: readonly ConsentRecord[], usersMax?: number) =>
    rowsOf(records, usersMax).map(({ key, part, users = 1 }) => [key, part, users]);

  test("says once what it says of users who follow each other, in records of so many users at most", () => {
    const records = Array.from({ length: 5 }, (_, part) => set(part));
    expect(shapes(records, 2)).toEqual([["u0", 0, 2], ["u2", 2, 2], ["u4", 4, 1]]);
    const [first] = rowsOf(records, 5);
    expect(fromBinary(SubscriptionRecordSchema, first?.body ?? new Uint8Array())).toMatchObject({
      workspaceId: "w",
      userId: "u0",
      cause: { sequence: 2n ** 41n, part: 0, requestId: "r", actor: "k" },
      change: {
        case: "setMemberships",
        value: { subscriptionGroupId: "g", state: SubscriptionState.SUBSCRIBED, userIds: ["u0", "u1", "u2", "u3", "u4"] },
      },
    });
    expect(rowsOf(records, 1)).toEqual(records.map((record) => laneRow("w", record)));
  });

  test.each([1, 2, 3, 20, 1_000])("cuts runs as it cuts their users one by one, in records of %i users at most", (usersMax) => {
    const traced = { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" };
    const one = (from: number, to: number, more?: object) => Array.from({ length: to - from }, (_, at) => set(from + at, more));
    const runs = [set(0), setOfRun(1, 150), set(151, { side: ["m"] }), setOfRun(152, 2), set(154), set(155), setOfRun(156, 200, traced)];
    const alone = [...one(0, 151), set(151, { side: ["m"] }), ...one(152, 156), ...one(156, 356, traced)];
    expect(rowsOf(runs, usersMax)).toEqual(rowsOf(alone, usersMax));
  });

  test("says in each record of how many users the request says the same, also around those of whom it says it otherwise", () => {
    const records = [setOfRun(0, 3), set(3, { side: ["m"] }), setOfRun(4, 2), set(6), setOfRun(7, 2, { groupId: "h" })];
    const counts = rowsOf(records, 2).map(({ body }) => {
      const { change } = fromBinary(SubscriptionRecordSchema, body);
      return change.case === "setMemberships" ? change.value.usersInAll : change.case;
    });
    expect(counts).toEqual([6, "setMembership", "setMembership", 6, "setMembership", 2]);
  });

  test.each([0, 1, 127, 128, 70_000])("encodes a run that begins at part %i as protobuf does", (part) => {
    const userIds = ["0000000000010000a4d27015", "ü", "x".repeat(300)];
    const [row] = rowsOf([{ ...setOfRun(part, 0), type: "memberships", groupId: "g", state: "unsubscribed", userIds }]);
    const message = fromBinary(SubscriptionRecordSchema, row?.body ?? new Uint8Array());
    expect(message).toMatchObject({
      userId: userIds[0],
      cause: { part },
      change: { value: { state: SubscriptionState.UNSUBSCRIBED, userIds } },
    });
    expect(row?.body).toEqual(toBinary(SubscriptionRecordSchema, message));
  });

  test.each([
    ["another group", { groupId: "h" }],
    ["another state", { state: "unsubscribed" }],
    ["another place in the log", { sequence: 7 }],
    ["a place that does not follow", { part: 9 }],
    ["another request", { requestId: "s" }],
    ["somebody else who asked", { actor: "l" }],
    ["another time", { at: 1 }],
    ["a trace", { traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01" }],
    ["a side of a merge", { side: ["m"] }],
    ["what was said before the user was there", { carried: true }],
  ])("keeps %s apart", (_, other) => {
    expect(rowsOf([set(0), set(1, other)]).map(({ users = 1 }) => users)).toEqual([1, 1]);
    expect(rowsOf([setOfRun(0, 2), set(2, other)]).map(({ users = 1 }) => users)).toEqual([2, 1]);
  });
});
