/** A real nats-server that is restarted with another max_payload: what was written stays readable, what is written is cut anew, too little is refused. */
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { systemClock } from "../clock.ts";
import { createEventStream } from "../events/jetstream.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { keepingLogger } from "../rpc/part.fixture.ts";
import { openJetStreamSteps } from "./jetstream-fenced-step.ts";
import { checkpointSubject, partitionSubject } from "./jetstream-stream.ts";
import { openJetStreamLog } from "./jetstream.ts";
import type { Log } from "./log.ts";
import type { FencedSteps } from "./fenced-step.ts";
import { cutRecord } from "./message-size.ts";

const least = limits.logMessageBytesMin;
const patience = { timeout: 30_000 };

await describeWith(["nats"], "max_payload", () => {
  let server: NatsServer;
  const opened: { close(): Promise<void> }[] = [];
  beforeAll(async () => {
    server = await startNats({ maxPayload: least });
  });
  afterAll(async () => {
    for (const one of opened) await one.close();
    await server.stop();
  });

  function optionsOf(name: string) {
    return { servers: [server.url], name, partitions: 2, replicas: 1, bytesMax: 64 * 1024 ** 2, logger: silentLogger, clock: systemClock };
  }
  async function open(name: string): Promise<{ log: Log; steps: FencedSteps }> {
    const log = await openJetStreamLog(optionsOf(name));
    const steps = await openJetStreamSteps(optionsOf(name));
    opened.push(log, steps);
    return { log, steps };
  }
  async function restartWith(maxPayload: number): Promise<void> {
    server.allow(maxPayload);
    await server.restart("SIGTERM");
  }

  test("a step of records that are larger than a message is read whole, between others", async () => {
    const { log, steps } = await open("records");
    const records = [bytesOf(10, 1), bytesOf(5 * least, 2), bytesOf(3, 3)];
    const subject = checkpointSubject("records", 0);
    const cut = records.flatMap((record) => cutRecord(partitionSubject("records", 0), record, steps.bodyBytesMax));
    const other = cutRecord(partitionSubject("records", 1), bytesOf(2 * least, 4), steps.bodyBytesMax);
    const messages = [...cut, ...other, { subject, body: bytesOf(1, 5) }];
    const outcome = await steps.publishStep({ messages, checkpointSubject: subject, expectedLast: 0 });
    expect(outcome).toMatchObject({ kind: "accepted", sequence: messages.length });
    const read = await log.read(0, 0, roomy);
    expect(read.map(({ sequence }) => sequence)).toEqual([1, cut.length - 1, cut.length]);
    expect(read.map(({ body }) => [body.length, body[0]])).toEqual(records.map((body) => [body.length, body[0]]));
    const current = await log.read(0, 1, { ...roomy, current: true });
    expect(current.map(({ body }) => body.length)).toEqual([5 * least, 3]);
    expect((await log.read(1, 0, roomy)).map(({ body }) => [body.length, body[0]])).toEqual([[2 * least, 4]]);
    expect(await log.tail(1)).toBe(cut.length + other.length);
  });

  test("a larger and a smaller one count from the next connection on", { timeout: 120_000 }, async () => {
    const { log, steps } = await open("changes");
    for (const maxPayload of [1024 * 1024, least]) {
      await restartWith(maxPayload);
      await expect.poll(() => log.append(0, bytesOf(600_000, 7)).then(() => "written", () => "away"), patience).toBe("written");
      await expect.poll(() => steps.checkpoint("changes.checkpoint.0").then(() => "back", () => "away"), patience).toBe("back");
      expect(steps.bodyBytesMax).toBe(maxPayload - limits.logMessageHeaderBytes);
    }
    const read = await log.read(0, 0, roomy);
    expect(read.length).toBeGreaterThanOrEqual(2);
    for (const { body } of read) expect([body.length, body[0]]).toEqual([600_000, 7]);
  });

  test("less than Heddle needs is refused at the start, and counts as away until it is mended", { timeout: 120_000 }, async () => {
    const logger = keepingLogger();
    const log = await openJetStreamLog({ ...optionsOf("too_little"), logger });
    opened.push(log);
    await restartWith(least - 1);
    const refused = new RegExp(`takes messages of ${least - 1} bytes, Heddle needs ${least}: set max_payload`);
    await expect(openJetStreamLog(optionsOf("too_little"))).rejects.toThrow(refused);
    await expect(openJetStreamSteps(optionsOf("too_little"))).rejects.toThrow(refused);
    await expect(createEventStream({ ...optionsOf("too_little_events"), keepMs: 60_000 })).rejects.toThrow(refused);
    await expect(log.append(0, bytesOf(1, 1))).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
    await expect.poll(() => logger.lines.at(-1)?.[1], patience).toBe("nats_too_small");
    await restartWith(least);
    await expect.poll(() => log.append(0, bytesOf(1, 1)).then(() => "written", () => "away"), patience).toBe("written");
    // The connection that came back is not left for another one
    const lines = logger.lines.length;
    await setTimeout(limits.logPingMs + 500);
    expect(logger.lines.slice(lines)).toEqual([]);
  });
});

const roomy = { max: 1_000, bytesMax: 10_000_000 };

function bytesOf(length: number, value: number): Uint8Array {
  return new Uint8Array(length).fill(value);
}
