/** Records of consent that no build of today can read, put into the lanes beside a running server, in either shape; and mended, as a newer build reads them. */
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { bucketOf } from "../platform/cassandra/buckets.ts";
import { openKeyspace } from "../platform/cassandra/keyspace.ts";
import { systemClock } from "../platform/clock.ts";
import { readConfig } from "../platform/config.ts";
import { laneLayout } from "../platform/lane/layout.ts";
import { openJetStreamLog } from "../platform/log/jetstream.ts";
import { packRecords } from "../platform/log/packed-records.ts";
import { deadLetterStatements } from "../services/consent/store/dead-letter-cassandra.ts";
import { putLaneMessage } from "../platform/lane/sqlite.ts";
import { stampAfter } from "../services/consent/store/stamp.ts";
import { silentLogger } from "../platform/logger.ts";
import { readStore, readStreams } from "../platform/mesh-config.ts";
import { openDatabase } from "../platform/sqlite/database.ts";
import { EmailStatus, StatusRecordSchema, SubscriptionRecordSchema, SubscriptionState } from "../proto/gen/heddle/lane/v1/lane_pb.ts";
import { messagingStatusSchema } from "../services/messaging-status/mesh-wire.ts";
import { subscriptionSchema } from "../services/subscription/mesh-wire.ts";
import { type Heddle, testShape } from "./heddle.ts";
import { smallLog } from "./mesh-shape.ts";

export interface UnreadRecord {
  readonly lane: "subscription" | "messaging-status";
  readonly workspaceId: string;
  /** The user or address that it would change. */
  readonly key: string;
  /** What it changes once it is mended: the group; of an address its status. */
  readonly groupId: string;
  /** Of the write that made the user: behind what declared the groups, and before all that is said of their consent. */
  readonly sequence: number;
}

/** Above the parts of every record that is there. */
export const unreadPart = 100_000;

/** Puts the record behind all others of its lane. */
export async function sendUnread(heddle: Heddle, record: UnreadRecord): Promise<void> {
  await send(heddle, record, bodyOf(record, false));
}

/** Sends what is no record at all; it does not even say its workspace. */
export async function sendRubbish(heddle: Heddle, { lane, workspaceId }: Pick<UnreadRecord, "lane" | "workspaceId">): Promise<void> {
  await send(heddle, { lane, workspaceId, key: "" }, Uint8Array.of(255));
}

type To = Pick<UnreadRecord, "lane" | "workspaceId" | "key">;

async function send(heddle: Heddle, { lane, workspaceId, key }: To, body: Uint8Array): Promise<void> {
  if (testShape === "mesh") {
    const { nats, logName, partitions: orders, lanes: lanesEach, ...streams } = readConfig(
      { ...heddle.commandEnv, ...smallLog },
      readStreams,
    );
    const { partitions, subscription, subscriptionLaneOf, messagingStatus, laneOf } = laneLayout(orders, lanesEach);
    const deps = { clock: systemClock, logger: silentLogger };
    const lanes = await openJetStreamLog({ ...nats, ...streams, ...deps, name: `${logName}_lanes`, partitions, make: false });
    const at = lane === "subscription" ? subscription(subscriptionLaneOf(workspaceId)) : messagingStatus(laneOf(workspaceId, key));
    await lanes.append(at, packRecords([body]));
    await lanes.close();
    return;
  }
  await inFile(heddle, putLaneMessage, [lane, packRecords([body])]);
}

/** Where it waits, it is exchanged for what a newer build sees in it. */
export async function mend(heddle: Heddle, record: UnreadRecord): Promise<void> {
  const { lane, workspaceId, key, sequence } = record;
  const body = bodyOf(record, true);
  if (testShape === "mesh") {
    const config = readConfig(heddle.commandEnv, (reader) => readStore(reader, lane));
    const schema = lane === "subscription" ? subscriptionSchema : messagingStatusSchema;
    const { session, close } = await openKeyspace(config, schema, systemClock);
    const values = {
      bucket: bucketOf(workspaceId),
      workspace_id: workspaceId,
      sequence: BigInt(sequence),
      part: unreadPart,
      lane_key: key,
    };
    const stamp = stampAfter({ mark: [sequence, unreadPart] });
    await session.execute({ cql: deadLetterStatements.put, values: { ...values, reason: "mended", body, stamp } });
    await close();
    return;
  }
  const table = lane === "subscription" ? "subscription_set_aside" : "messaging_status_set_aside";
  await inFile(heddle, `UPDATE ${table} SET body = ? WHERE sequence = ? AND part = ?`, [body, sequence, unreadPart]);
}

function bodyOf({ lane, workspaceId, key, groupId, sequence }: UnreadRecord, isMended: boolean): Uint8Array {
  const cause = { sequence: BigInt(sequence), part: unreadPart, at: 1n, requestId: "unread", actor: "newer build" };
  if (lane === "subscription") {
    const value = { subscriptionGroupId: groupId, state: SubscriptionState.SUBSCRIBED };
    const change = isMended ? { change: { case: "setMembership" as const, value } } : {};
    return toBinary(SubscriptionRecordSchema, create(SubscriptionRecordSchema, { workspaceId, userId: key, cause, ...change }));
  }
  const change = isMended ? { change: { case: "setEmailStatus" as const, value: { status: EmailStatus.SUBSCRIBED } } } : {};
  return toBinary(StatusRecordSchema, create(StatusRecordSchema, { workspaceId, address: key, cause, ...change }));
}

async function inFile({ dataDir }: Heddle, sql: string, values: readonly (string | number | Uint8Array)[]): Promise<void> {
  const database = openDatabase({ path: join(dataDir, "heddle.db") });
  try {
    await database.write(() => void database.prepare(sql).run(...values));
  } finally {
    await database.close();
  }
}
