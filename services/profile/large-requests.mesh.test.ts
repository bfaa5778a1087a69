/** Requests that are small enough to be accepted and too large for one message of NATS, on a real server: all are applied, and those after them too. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import { afterEach, expect, test } from "vitest";
import { bucketOfUser } from "../../platform/user-number.ts";
import { openReplicas } from "../../platform/cassandra/replicas.fixture.ts";
import { systemClock } from "../../platform/clock.ts";
import { createEventStream, openEventStream } from "../../platform/events/jetstream.ts";
import { checkedRecord } from "../../platform/intake/record-size.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { createLocalNotices } from "../../platform/lane/progress-notices.fixture.ts";
import { openJetStreamSteps } from "../../platform/log/jetstream-fenced-step.ts";
import { checkpointSubject, partitionSubject } from "../../platform/log/jetstream-stream.ts";
import { openJetStreamLog } from "../../platform/log/jetstream.ts";
import { silentLogger } from "../../platform/logger.ts";
import { ProfileUserUpdatedSchema } from "../../proto/gen/heddle/profile/v1/profile_event_pb.ts";
import { startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { checkTrack } from "./domain/track/check-track.ts";
import type { Idempotency, IntakeBody } from "./domain/record/intake-record.ts";
import { createOutgoing } from "./events/outgoing.ts";
import { eventsOf } from "./events/profile-events.ts";
import { encodeRecord } from "./intake/record-message.fixture.ts";
import { startMeshReaders } from "./mesh-readers.ts";
import { openMeshApplied } from "./reader/mesh-applied.ts";
import { openCassandraProfileStore } from "./store/cassandra.ts";

const layout = laneLayout(1, 4);
const clock = systemClock;
const minute = 60_000;

await describeWith(["nats"], "a mesh whose messages are small", () => {
  const opened: { close(): Promise<unknown> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0).reverse()) await one.close();
  });

  /** Logs, readers and events of one process, its tables in memory. The readers begin with `read`: what was appended before waits together. */
  async function open(maxPayload?: number) {
    const nats = await startNats(maxPayload === undefined ? {} : { maxPayload });
    opened.push({ close: () => nats.stop() });
    const options = { servers: [nats.url], replicas: 1, bytesMax: 512 * 1024 ** 2, logger: silentLogger, clock };
    const intakeLog = await openJetStreamLog({ ...options, name: "intake", partitions: 1 });
    const lanes = await openJetStreamLog({ ...options, name: "lanes", partitions: layout.partitions });
    const steps = await openJetStreamSteps({ ...options, name: "lanes", partitions: layout.partitions });
    await createEventStream({ ...options, name: "events", keepMs: minute });
    const events = await openEventStream({ ...options, name: "events" });
    opened.push(intakeLog, lanes, steps, events);
    const replicas = openReplicas({ schema: [readFileSync(join(import.meta.dirname, "store/schema/schema.cql"), "utf8")] });
    const store = openCassandraProfileStore({ session: replicas.session(), clock, partitions: 1, bucketOf: bucketOfUser });
    const notices = createLocalNotices();
    const applied = openMeshApplied({ lanes, layout, intakePartitions: 1, notices, clock, logger: silentLogger });
    opened.push(applied);
    let made = 0;
    return {
      nats,
      store,
      events,
      applied,
      async append(body: IntakeBody, idempotency?: Idempotency) {
        made += 1;
        const origin = { workspaceId: "w", requestId: `r${made}`, actor: "key", receivedAt: 0 };
        const record = encodeRecord({ ...origin, body, ...(idempotency && { idempotency }) });
        return { partition: 0, sequence: await intakeLog.append(0, checkedRecord(record), "normal") };
      },
      read() {
        const readers = startMeshReaders({
          intake: intakeLog,
          lanes,
          steps,
          ...store,
          id: "a",
          layout,
          notices,
          events,
          clock,
          logger: silentLogger,
          numbering: () => "lanes",
          undoWindowMs: 0,
          trimBytes: 10_000,
          members: { beat: () => Promise.resolve(["a"]), leave: () => Promise.resolve() },
          subjects: { partition: (at) => partitionSubject("lanes", at), checkpoint: (name) => checkpointSubject("lanes", name) },
        });
        opened.push(readers);
        return readers;
      },
      async profileOf(externalId: string) {
        const key = `x:${externalId}` as const;
        const id = String((await store.identities.load("w", [key])).get(key));
        return (await store.profiles.load("w", [id])).get(id);
      },
    };
  }

  test(
    "one object of very many attributes grows beyond a message, and others of its partition go on",
    { timeout: 2 * minute },
    async () => {
      const mesh = await open(512 * 1024);
      mesh.read();
      const count = 14_000;
      const names = Array.from({ length: count }, (_, at) => [at.toString(36).padStart(8, "0"), "2020-01-01"]);
      await mesh.append(tracked([{ external_id: "fat", ...Object.fromEntries(names) }]));
      const position = await mesh.append(tracked([{ external_id: "other", first_name: "Ann" }]));
      expect(await mesh.applied.wait(position, minute)).toBe(true);
      expect((await mesh.profileOf("fat"))?.custom.size).toBe(count);
      expect((await mesh.profileOf("other"))?.fields.get("first_name")).toBe("Ann");
    },
  );

  test("answers and outcomes of requests that waited together are more than a message", { timeout: 2 * minute }, async () => {
    const mesh = await open();
    const refused = Buffer.alloc(20_000, "x").toString("base64");
    const keyed = Array.from({ length: 120 }, (_, at) => mesh.append(tracked([{ external_id: `k${at}` }]), keyOf(at, refused)));
    const renames = Array.from({ length: 50 }, (_, at) => ({ current: `nobody ${at}`, next: `somebody ${at}` }));
    const unkeyed = Array.from({ length: 300 }, () => mesh.append({ type: "renameExternalIds", renames }));
    const positions = await Promise.all([...keyed, ...unkeyed]);
    mesh.read();
    for (const [at, position] of positions.entries()) {
      expect(await mesh.applied.wait(position, minute)).toBe(true);
      const outcome = mesh.applied.outcome(position);
      if (at < keyed.length) expect(outcome?.repeat).toEqual({ kind: "first", answer: refused });
      else expect(outcome?.items).toHaveLength(50);
    }
  });

  test("very many users that changed are told in several events", { timeout: minute }, async () => {
    const { events } = await open(64 * 1024);
    const outgoing = createOutgoing(events.publish);
    const users = Array.from({ length: 28_777 }, (_, at) => at.toString(16).padStart(24, "0"));
    await outgoing.send(
      eventsOf("w", users.map((userId, at) => ({ userId, mark: [2 ** 43 + at, 0], now: 0, change: { type: "create" } }))),
    );
    const kept = await events.read(0, { max: 1_000 });
    expect(kept.flatMap(({ body }) => fromBinary(ProfileUserUpdatedSchema, body).users.map(({ userId }) => userId))).toEqual(users);
  });

  test.each([64 * 1024, 262_144])("a server that takes %i bytes takes all that waits", { timeout: 2 * minute }, async (maxPayload) => {
    const mesh = await open(maxPayload);
    const fields = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`attribute ${at}`, "x".repeat(50)]));
    const appended = Array.from(
      { length: 200 },
      (_, request) =>
        mesh.append(tracked(Array.from({ length: 75 }, (_, at) => ({ external_id: `u${request % 20}.${at}`, ...fields, request })))),
    );
    const positions = await Promise.all(appended);
    const readers = mesh.read();
    const last = positions.reduce((max, position) => (position.sequence > max.sequence ? position : max));
    expect(await mesh.applied.wait(last, 1.5 * minute)).toBe(true);
    expect(readers.trouble()).toBeUndefined();
    for (const name of ["u0.0", "u19.74"]) expect((await mesh.profileOf(name))?.custom.get("attribute 19")).toBe("x".repeat(50));
  });
});

function tracked(attributes: readonly object[]): IntakeBody {
  const { objects, errors } = checkTrack({ attributes }, { objectsPerArrayMax: 0, objectsMax: 0, objectsPerUserMax: 0 });
  expect(errors).toEqual([]);
  return { type: "track", objects };
}

function keyOf(at: number, answer: string): Idempotency {
  return { keyHash: at.toString(16).padStart(64, "0"), bodyHash: "00".repeat(32), keepMs: minute, answer };
}
