/** What one request says of very many users, as the mesh applies it: some at a time, and others have their turns. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import type { LaneBody } from "../../consent/lane/lane-window.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { openCassandraSubscriptionStore } from "../store/cassandra.ts";
import { applyMessages } from "./apply-messages.ts";
import { describeLateParts } from "./late-parts-contract.ts";
import { membershipMessages } from "./lane-message.ts";

const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];
const groups = [{ id: "g", name: "G", channel: "email" as const, archived: false, turns: [0] }];

/** What was told, and of how many at a time. */
function openWorld() {
  const store = openCassandraSubscriptionStore(recordingSession(schema, openReplicas({ schema }).session()));
  const seen = { published: new Set<string>(), atOnce: [] as number[] };
  const parts = {
    ...store,
    store: { groups: () => Promise.resolve(groups) },
    logger: silentLogger,
    traced: { lane: "subscription-0" },
    publish: (_: string, entries: readonly LedgerEntry[]) => {
      seen.atOnce.push(entries.length);
      for (const { hash } of entries) seen.published.add(hash);
      return Promise.resolve();
    },
  };
  return { store: store.store, seen, apply: (bodies: readonly LaneBody[]) => applyMessages(parts, bodies) };
}

/** As the resolver packs them. */
function manySaid(users: number, sequence: number): LaneBody[] {
  const each = limits.laneUsersPerRecordMax;
  return Array.from({ length: Math.ceil(users / each) }, (_, at) => {
    const userIds = Array.from({ length: Math.min(each, users - at * each) }, (__, n) => userAt(at * each + n));
    const cause = { sequence: BigInt(sequence), part: at * each, at: 1n, requestId: "r", actor: "k" };
    const value = { subscriptionGroupId: "g", state: SubscriptionState.SUBSCRIBED, userIds, usersInAll: users };
    const record = { workspaceId: "w", userId: userAt(at * each), cause, change: { case: "setMemberships" as const, value } };
    return { body: toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, record)), place: [sequence, at] };
  });
}

function userAt(n: number): string {
  return `u${n}`.padStart(90, "0");
}

describeLateParts("in memory", () => {
  const store = openCassandraSubscriptionStore(recordingSession(schema, openReplicas({ schema }).session()));
  return Promise.resolve({ store, close: () => Promise.resolve() });
});

test("applyMessages() takes some users of a fan-out at a time; each has its state and its event", async () => {
  const users = 2_030;
  const { store, seen, apply } = openWorld();
  const bodies = manySaid(users, 1);
  expect(bodies.reduce((sum, { body }) => sum + body.byteLength, 0)).toBeGreaterThan(2 * limits.consentSliceBytesMax);
  await apply(bodies);
  expect(seen.published.size).toBe(users);
  expect(Math.max(...seen.atOnce)).toBe(limits.fanOutRunUsersMax);
  const rows = await store.load("w", Array.from({ length: users }, (_, n) => userAt(n)));
  expect(rows.size).toBe(users);
  expect(new Set(Array.from(rows.values(), ({ groups: own }) => own.get("g")))).toEqual(new Set(["subscribed"]));
});

test("concernOf() says whom a record changes, and that it is part of what very many are told", () => {
  const names = Array.from({ length: limits.laneUsersPerRecordMax }, (_, n) => userAt(n));
  for (const [users, isOfMany] of [[limits.fanOutUsersMin, true], [limits.fanOutUsersMin - 1, false]] as const) {
    expect(manySaid(users, 1).map(({ body }) => membershipMessages.concernOf(body))[0]).toEqual({ workspaceId: "w", names, isOfMany });
  }
  const value = { mergeId: "m", sourceUserId: "b", undoUntil: 0n };
  const merge = create(SubscriptionRecordSchema, { workspaceId: "w", userId: "a", cause: {}, change: { case: "userMerged", value } });
  expect(membershipMessages.concernOf(toBinary(SubscriptionRecordSchema, merge))).toEqual({
    workspaceId: "w",
    names: ["a", "b"],
    isOfMany: false,
  });
});

test("concernOf() leaves alone what nobody can read, what names no workspace, and what an operator asks for", () => {
  const lost = create(SubscriptionRecordSchema, { userId: "a", cause: {}, change: { case: "userDeleted", value: {} } });
  const nobody = create(SubscriptionRecordSchema, { workspaceId: "w", cause: {}, change: { case: "userDeleted", value: {} } });
  const alone = [
    Uint8Array.of(255),
    ...[lost, nobody].map((one) => toBinary(SubscriptionRecordSchema, one)),
    membershipMessages.redriveBody("w", { skipped: [] }),
  ];
  expect(alone.map(membershipMessages.concernOf)).toEqual(alone.map(() => undefined));
});
