/** Events in a real JetStream against the contract, and what only this driver promises. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { silentLogger } from "../logger.ts";
import { describeEvents } from "./events-contract.ts";
import type { Events } from "./events.ts";
import { createEventStream, openEventStream } from "./jetstream.ts";

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
