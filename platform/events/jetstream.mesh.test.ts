/** Events in a real JetStream against the contract, and what only this driver promises. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { describeEvents } from "./events-contract.ts";
import type { Events, PublishedEvent } from "./events.ts";
import { askApi, connectJetStream } from "../log/jetstream-connection.ts";
import { publishedBatch } from "../log/published-batch.fixture.ts";
import { createEventStream, openEventStream } from "./jetstream.ts";

function eventOf(eventId: string): PublishedEvent {
  return { subject: "a.b.v1", scope: "ws", eventId, key: "k", body: new Uint8Array() };
}

await describeWith(["nats"], "openEventStream()", () => {
  let server: NatsServer;
  const opened: Events[] = [];
  let made = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(async () => {
    for (const events of opened) await events.close();
    await server?.stop();
  });

  async function open(name: string, keepMs = 3_600_000): Promise<Events> {
    const shape = { name, replicas: 1, bytesMax: 64 * 1024 ** 2, keepMs };
    await createEventStream({ servers: [server.url], ...shape, logger: silentLogger });
    const events = await openEventStream({ servers: [server.url], ...shape, logger: silentLogger });
    opened.push(events);
    return events;
  }

  describeEvents("jetstream", async () => {
    const name = `events_${made += 1}`;
    const events = await open(name);
    return { events, reopen: () => open(name), dispose: () => Promise.resolve() };
  });

  test("a stream that is there is brought to what is asked, and keeps what it has", async () => {
    const first = await open("kept_events");
    await first.publish([{ subject: "a.b.v1", scope: "ws", eventId: "1", key: "k", body: new Uint8Array() }]);
    const second = await open("kept_events", 7_200_000);
    expect((await second.read(0, { max: 10 })).map(({ eventId }) => eventId)).toEqual(["1"]);
  });

  test("many events that are published together are one batch, few are not, and none where the stream of a build before takes none", async () => {
    const connection = await connectJetStream({ servers: [server.url], logger: silentLogger });
    const shape = { name: "batch_events", replicas: 1, bytesMax: 64 * 1024 ** 2, keepMs: 3_600_000 };
    const options = { servers: [server.url], ...shape, logger: silentLogger };
    const many = limits.publishedSinglyMax + 1;
    const ids = Array.from({ length: 2 * many + 4 }, (_, index) => `${index}`);
    await createEventStream(options);
    const { config } = await askApi<{ config: object }>(connection, { subject: "STREAM.INFO.batch_events" }) ?? { config: {} };
    await askApi(connection, { subject: "STREAM.UPDATE.batch_events", body: { ...config, allow_atomic: false } });
    const before = await openEventStream(options);
    opened.push(before);
    await before.publish(ids.slice(0, many).map(eventOf));
    await createEventStream(options);
    const now = await openEventStream(options);
    opened.push(now);
    await now.publish(ids.slice(many, 2 * many).map(eventOf));
    // One of them is there already, so the batch is refused whole
    await now.publish(ids.slice(many + 2, 2 * many + 2).map(eventOf));
    await now.publish(ids.slice(2 * many + 2).map(eventOf));
    expect((await now.read(0, { max: 100 })).map(({ eventId }) => eventId)).toEqual(ids);
    const batches: (string | undefined)[] = [];
    for (const at of ids.keys()) batches.push(await publishedBatch(connection, "batch_events", at + 1));
    expect(new Set(batches.slice(0, many))).toEqual(new Set([undefined]));
    expect(new Set(batches.slice(many, 2 * many))).toEqual(new Set([expect.any(String)]));
    expect(batches.slice(2 * many)).toEqual([undefined, undefined, undefined, undefined]);
    await connection.close();
  });

  test("publish() refuses while no server is there, and goes on when one is", { timeout: 60_000 }, async () => {
    const events = await open("away_events");
    const event = { subject: "a.b.v1", scope: "ws", eventId: "1", key: "k", body: new Uint8Array() };
    await server.kill();
    await expect(events.publish([event])).rejects.toMatchObject({ reason: expect.stringMatching(/LOG_UNAVAILABLE|OUTCOME_UNKNOWN/) });
    await server.restart();
    await expect.poll(() => events.publish([event]).then(() => "published", () => "refused")).toBe("published");
    expect((await events.read(0, { max: 10 })).map(({ eventId }) => eventId)).toEqual(["1"]);
  });
});
