/** Two processes' worth of resolvers and appliers over a real JetStream and a real Cassandra leave what a fold over the intake leaves. */
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bucketOfUser } from "../../platform/user-number.ts";
import { openTables } from "../../platform/cassandra/contract-session.fixture.ts";
import { type Clock, systemClock } from "../../platform/clock.ts";
import type { PublishedEvent } from "../../platform/events/events.ts";
import { openJetStreamSteps } from "../../platform/log/jetstream-fenced-step.ts";
import { checkpointSubject, partitionSubject } from "../../platform/log/jetstream-stream.ts";
import { openJetStreamLog } from "../../platform/log/jetstream.ts";
import type { Log } from "../../platform/log/log.ts";
import { silentLogger } from "../../platform/logger.ts";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { sharedCassandra } from "../../test/servers/shared-cassandra.ts";
import { freeze, takeBack, takeIn } from "./domain/merge/apply-merge.ts";
import { applyRecord } from "./domain/profile/apply-records.ts";
import { resolveBatch } from "./domain/resolve/batch.ts";
import { laneLayout } from "../../platform/lane/layout.ts";
import { encodeRecord } from "./intake/record-message.fixture.ts";
import { decodeRecord } from "./intake/record-message.ts";
import { type MeshReaders, startMeshReaders } from "./mesh-readers.ts";
import { type MeshApplied, openMeshApplied } from "./reader/mesh-applied.ts";
import type { Members } from "../../platform/lane/ownership.ts";
import { createLocalNotices } from "../../platform/lane/progress-notices.fixture.ts";
import { randomHistory } from "./simulation/history.fixture.ts";
import { fold } from "./simulation/fold.fixture.ts";
import { look } from "./simulation/reference.fixture.ts";
import { createWorld } from "./simulation/world.fixture.ts";
import { openCassandraProfileStore } from "./store/cassandra.ts";

const hookMs = 240_000;
const layout = laneLayout(1, 8);
/** Nothing may depend on when something is resolved: the fold resolves at the same moment. */
const clock: Clock = { ...systemClock, now: () => Date.UTC(2026, 0, 1) };
const undoWindowMs = 10_000_000;

await describeWith(["nats", "cassandra"], "startMeshReaders()", () => {
  let nats: NatsServer;
  const opened: { close(): Promise<unknown> }[] = [];
  beforeAll(async () => {
    nats = await startNats();
  }, hookMs);
  afterAll(async () => {
    for (const one of opened) await one.close();
    await nats?.stop();
  }, hookMs);

  async function openLogs(run: string): Promise<{ intake: Log; lanes: Log; steps: Awaited<ReturnType<typeof openJetStreamSteps>> }> {
    const options = { servers: [nats.url], replicas: 1, bytesMax: 64 * 1024 ** 2, logger: silentLogger, clock };
    const intake = await openJetStreamLog({ ...options, name: `intake_${run}`, partitions: 1 });
    const lanes = await openJetStreamLog({ ...options, name: `lanes_${run}`, partitions: layout.partitions });
    const steps = await openJetStreamSteps({ ...options, name: `lanes_${run}`, partitions: layout.partitions });
    opened.push(intake, lanes, steps);
    return { intake, lanes, steps };
  }

  test.each(["once", "twice"])(
    "two of each at the same time, every message %s, one of them gone half way",
    { timeout: 120_000 },
    async (run) => {
      const notices = createLocalNotices();
      const session = await openTables(await sharedCassandra(), `readers_${run}`, join(import.meta.dirname, "store/schema"));
      opened.push(session);
      const store = openCassandraProfileStore({ session, clock, partitions: 1, bucketOf: bucketOfUser });
      const readers: MeshReaders[] = [];
      const told: string[] = [];
      const events = {
        publish: async (published: readonly PublishedEvent[]) => void told.push(...published.map(({ subject }) => subject)),
      };
      for (const id of ["a", "b"]) {
        readers.push(startMeshReaders({
          ...await openLogs(run).then((logs) => run === "twice" ? { ...logs, lanes: doubled(logs.lanes) } : logs),
          ...store,
          id,
          layout,
          notices,
          events,
          clock,
          logger: silentLogger,
          undoWindowMs,
          numbering: () => "lanes",
          trimBytes: 10_000,
          members: alone(id),
          subjects: {
            partition: (at) => partitionSubject(`lanes_${run}`, at),
            checkpoint: (name) => checkpointSubject(`lanes_${run}`, name),
          },
        }));
      }
      const { intake, lanes } = await openLogs(run);
      const applied: MeshApplied = openMeshApplied({ lanes, layout, intakePartitions: 1, notices, clock, logger: silentLogger });
      const history = randomHistory(createWorld(1), 300);
      const records: { sequence: number; body: Uint8Array }[] = [];
      for (const [at, entry] of history.entries()) {
        const body = encodeRecord(entry);
        records.push({ sequence: await intake.append(0, body), body });
        if (at === 150) await readers[0]?.close();
      }
      const last = records.at(-1)?.sequence ?? 0;
      expect(await applied.wait({ partition: 0, sequence: last }, 60_000)).toBe(true);
      const steps = { applyRecord, freeze, takeIn, takeBack };
      const folded = fold(records, {
        steps,
        undoWindowMs,
        numbering: "lanes",
        decode: decodeRecord,
        resolve: resolveBatch,
        now: clock.now(),
      });
      const seen = await look(store, folded.keys);
      expect(await store.profiles.listBlocked(10)).toEqual([]);
      expect(seen.identities).toEqual(folded.identities);
      expect(seen.profiles).toEqual(folded.profiles);
      expect(new Set(told)).toContain("profile.user.merged.v1");
      await readers[1]?.close();
      await applied.close();
    },
  );
});

/** What is read comes twice, and what appliers append to each other is there twice. */
function doubled(lanes: Log): Log {
  return {
    ...lanes,
    partitions: lanes.partitions,
    async append(partition, body, priority) {
      await lanes.append(partition, body, priority);
      return await lanes.append(partition, body, priority);
    },
    read: async (partition, after, options) => (await lanes.read(partition, after, options)).flatMap((record) => [record, record]),
    tail: (partition) => lanes.tail(partition),
    watch: (listener) => lanes.watch(listener),
    trim: (partition, through) => lanes.trim(partition, through),
    close: () => lanes.close(),
  };
}

/** Each member believes to be the only one. */
function alone(id: string): Members {
  return { beat: () => Promise.resolve([id]), leave: () => Promise.resolve() };
}
