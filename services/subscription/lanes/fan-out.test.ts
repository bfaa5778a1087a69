/** What one request says of very many users: some at a time, and others have their turns. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { noTracer } from "../../../platform/telemetry/tracer.ts";
import { openDatabase } from "../../../platform/sqlite/database.ts";
import { packLane, putLaneMessage } from "../../../platform/lane/sqlite.ts";
import { openEmbeddedConsent } from "../../consent/embedded.ts";
import { openSqliteSubscriptionStore } from "../store/sqlite.ts";
import { openReplicas } from "../../../platform/cassandra/replicas.fixture.ts";
import { recordingSession } from "../../../platform/cassandra/recording-session.fixture.ts";
import type { LaneBody } from "../../consent/engine/lane-message.ts";
import type { LedgerEntry } from "../../../platform/ledger/ledger.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { UnknownVersion } from "../../../platform/record-version.ts";
import { SubscriptionRecordSchema, SubscriptionState } from "../../../proto/gen/heddle/lane/v1/lane_pb.ts";
import { inSomeBuckets } from "../store/buckets.fixture.ts";
import { openCassandraSubscriptionStore } from "../store/cassandra.ts";
import { applyMessages } from "./apply-messages.ts";
import { describeLateParts } from "./late-parts-contract.ts";
import { membershipMessages } from "./lane-message.ts";

const schema = [readFileSync(join(import.meta.dirname, "../store/schema/schema.cql"), "utf8")];
const groups = [{ id: "g", name: "G", channel: "email" as const, archived: false, turns: [0] }];

/** What was published. */
function openWorld() {
  const store = openCassandraSubscriptionStore(recordingSession(schema, openReplicas({ schema }).session()), inSomeBuckets);
  const seen = { published: new Set<string>() };
  const deps = {
    ...store,
    store: { groups: () => Promise.resolve(groups) },
    logger: silentLogger,
    traced: { lane: "subscription-0" },
    publish: (_: string, entries: readonly LedgerEntry[]) => {
      for (const { hash } of entries) seen.published.add(hash);
      return Promise.resolve();
    },
  };
  return { store: store.store, seen, apply: (bodies: readonly LaneBody[]) => applyMessages(deps, bodies) };
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
  const store = openCassandraSubscriptionStore(recordingSession(schema, openReplicas({ schema }).session()), inSomeBuckets);
  return Promise.resolve({ store, close: () => Promise.resolve() });
});

test("applyMessages() writes the state of each user of a fan-out and publishes its event", async () => {
  const users = 2_030;
  const { store, seen, apply } = openWorld();
  const bodies = manySaid(users, 1);
  expect(bodies.reduce((sum, { body }) => sum + body.byteLength, 0)).toBeGreaterThan(2 * limits.consentSliceBytesMax);
  await apply(bodies);
  expect(seen.published.size).toBe(users);
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

test("a record of a newer build stops who applies it; where one waits already it waits on", () => {
  const change = { case: "userDeleted" as const, value: {} };
  const [known, newer] = [1, 99].map((version) => {
    return toBinary(
      SubscriptionRecordSchema,
      create(SubscriptionRecordSchema, { version, workspaceId: "w", userId: "a", cause: {}, change }),
    );
  });
  if (known === undefined || newer === undefined) throw new Error("Expected two records");
  const { concernOf, readLaneBody, decodedFromRow, whoseBody } = membershipMessages;
  expect([concernOf(known)?.names, whoseBody(known)?.key]).toEqual([["a"], "a"]);
  expect([concernOf(newer), whoseBody(newer)]).toEqual([undefined, undefined]);
  expect(() => readLaneBody(newer, [1, 0])).toThrow(UnknownVersion);
  const row = { workspaceId: "w", sequence: 1, part: 0, key: "a", body: newer };
  expect(decodedFromRow(row)).toMatchObject([{ keys: ["a"], payload: undefined, reason: expect.stringContaining("got 99") }]);
});

/** Fake milliseconds that a fan-out takes in one process where a piece takes `pieceMs`, and each turn of the event loop `turnMs`. */
async function timeInOneProcess({ users, pieceMs, turnMs }: { users: number; pieceMs: number; turnMs: number }) {
  const clock = fakeClock();
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteSubscriptionStore(database);
  await tables.changeGroups("w", () => groups);
  const lane = openEmbeddedConsent({
    service: "subscription",
    title: "Subscription",
    tables,
    messages: membershipMessages,
    async apply(ends, bodies) {
      await applyMessages({ ...tables, ...ends }, bodies);
      clock.advance(pieceMs);
    },
    clock,
    logger: silentLogger,
    tracer: noTracer,
  });
  await database.write(() => {
    for (const message of packLane(manySaid(users, 1).map(({ body }) => body))) {
      database.prepare(putLaneMessage).run("subscription", message);
    }
  });
  const began = clock.monotonic();
  lane.notify();
  const state = { isIn: false };
  async function settled(): Promise<void> {
    while (!state.isIn) state.isIn = await lane.asked.caughtUp({ workspaceId: "w" });
  }
  const done = settled();
  while (!state.isIn) {
    for (let turn = 0; turn < 10 && !state.isIn; turn += 1) {
      clock.advance(turnMs);
      await setImmediate();
    }
    clock.advance(1);
  }
  await done;
  const tookMs = clock.monotonic() - began;
  const rows = await tables.store.load("w", Array.from({ length: users }, (_, n) => userAt(n)));
  await lane.close();
  await database.close();
  expect(Array.from(rows.values(), ({ groups: own }) => own.get("g"))).toEqual(Array.from({ length: users }, () => "subscribed"));
  return tookMs;
}

test("in one process a fan-out takes not much more than twice its work where nobody needs the thread, and gives way where somebody does", async () => {
  const [users, pieceMs] = [2_000, 2];
  const workMs = users / limits.embeddedBatchUsersMax * pieceMs;
  expect(await timeInOneProcess({ users, pieceMs, turnMs: 0 })).toBeLessThan(3 * workMs);
  expect(await timeInOneProcess({ users, pieceMs, turnMs: 0.5 })).toBeGreaterThan(limits.fanOutRestFactor * workMs);
});

test("in one process a read about nobody waits for nobody's records", async () => {
  const clock = fakeClock();
  const database = openDatabase({ path: ":memory:" });
  const tables = await openSqliteSubscriptionStore(database);
  const [begun, stopped] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { asked, close } = openEmbeddedConsent({
    service: "subscription",
    title: "Subscription",
    tables,
    messages: membershipMessages,
    apply() {
      begun.resolve();
      return stopped.promise;
    },
    clock,
    logger: silentLogger,
    tracer: noTracer,
  });
  await tables.lane.append(manySaid(1, 1)[0]?.body ?? new Uint8Array());
  await begun.promise;
  // Not read before the first is applied
  await tables.lane.append(manySaid(1, 2)[0]?.body ?? new Uint8Array());
  const answers = [asked.caughtUp({ workspaceId: "w", keys: [] }), asked.caughtUp({ workspaceId: "w" })];
  await setImmediate();
  clock.advance(limits.consentWaitMs);
  expect(await Promise.all(answers)).toEqual([true, false]);
  stopped.resolve();
  await close();
  await database.close();
});
