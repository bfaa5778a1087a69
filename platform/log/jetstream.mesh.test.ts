/** The log in a real JetStream against the contract, and what only this driver promises. */
import { connect } from "nats";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { freePorts } from "../../test/servers/server-process.ts";
import { describeWith } from "../../test/servers/require.ts";
import { systemClock } from "../clock.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { type JetStreamLogOptions, openJetStreamLog } from "./jetstream.ts";
import { connectJetStream } from "./jetstream-connection.ts";
import { publishedBatch } from "./published-batch.fixture.ts";
import { describeLog } from "./log-contract.ts";
import type { Log } from "./log.ts";

await describeWith(["nats"], "openJetStreamLog()", () => {
  let server: NatsServer;
  const logs: Log[] = [];
  let made = 0;
  beforeAll(async () => {
    server = await startNats();
  });
  afterAll(async () => {
    for (const log of logs) await log.close();
    await server.stop();
  });

  function optionsOf(further: Partial<JetStreamLogOptions> = {}): JetStreamLogOptions {
    const name = `log_${made += 1}`;
    return {
      servers: [server.url],
      name,
      partitions: 3,
      replicas: 1,
      bytesMax: 64 * 1024 ** 2,
      clock: systemClock,
      logger: silentLogger,
      ...further,
    };
  }
  async function open(options: JetStreamLogOptions): Promise<Log> {
    const log = await openJetStreamLog(options);
    logs.push(log);
    return log;
  }
  async function administer(method: string, body: object): Promise<void> {
    const client = await connect({ servers: server.url });
    const answer = (await client.request(`$JS.API.${method}`, JSON.stringify(body))).json<{ error?: { description: string } }>();
    await client.close();
    if (answer.error) throw new Error(answer.error.description);
  }

  describeLog("jetstream", async () => {
    const clock = fakeClock();
    const options = optionsOf({ clock });
    let log = await open(options);
    return {
      log,
      clock,
      async reopen() {
        await log.close();
        log = await open(options);
        return log;
      },
      dispose: () => log.close(),
    };
  });

  test("refuses LOG_UNAVAILABLE while there is no server, which may be tried again", async () => {
    const [port = 0] = await freePorts(1);
    await expect(openJetStreamLog(optionsOf({ servers: [`nats://127.0.0.1:${port}`] }))).rejects.toMatchObject({
      reason: "LOG_UNAVAILABLE",
    });
  });

  describe("a stream", () => {
    test("is refused when it would drop records, or is another log's", async () => {
      const options = optionsOf();
      const stream = {
        name: options.name,
        subjects: [`${options.name}.>`],
        storage: "file",
        retention: "limits",
        discard: "old",
        max_age: 3_600_000_000_000,
      };
      await administer(`STREAM.CREATE.${options.name}`, stream);
      await expect(openJetStreamLog(options)).rejects.toThrow(
        /max_age.*discards old.*allow_atomic.*allow_direct.*made for no partitions, expected 3/,
      );
    });

    test("keeps its number of partitions for good", async () => {
      const options = optionsOf();
      await open(options);
      await expect(openJetStreamLog({ ...options, partitions: 4 })).rejects.toThrow("made for 3 partitions, expected 4");
    });

    test("takes new bytes, and keeps its records", async () => {
      const options = optionsOf();
      const log = await open(options);
      const sequence = await log.append(0, bytesOf("kept"));
      const larger = await open({ ...options, bytesMax: options.bytesMax * 2 });
      expect(await textsOf(larger, 0)).toEqual(["kept"]);
      expect(await larger.append(0, bytesOf("next"))).toBeGreaterThan(sequence);
    });

    test("that is made anew in the next epoch gives no sequence twice, and is refused while it is of an earlier one", async () => {
      const options = optionsOf();
      const log = await open(options);
      await log.append(0, bytesOf("lost"));
      await expect(openJetStreamLog({ ...options, epoch: 1 })).rejects.toThrow("made in epoch 0, expected 1");
      await administer(`STREAM.DELETE.${options.name}`, {});
      const anew = await open({ ...options, epoch: 1 });
      expect(await anew.tail(0)).toBe(0);
      expect(await anew.append(0, bytesOf("first"))).toBe(2 ** 40 + 1);
      expect(await (await open(options)).tail(0)).toBe(2 ** 40 + 1);
    });

    test("that is full refuses LOG_FULL and keeps what it has, and takes again after a trim", async () => {
      const log = await open(optionsOf({ bytesMax: 1024 * 1024 }));
      const much = new Uint8Array(100 * 1024);
      let last = 0;
      const refused = await (async () => {
        for (;;) last = await log.append(0, much);
      })().catch((error: unknown) => error);
      expect(refused).toMatchObject({ reason: "LOG_FULL" });
      await expect(Promise.all([log.append(1, much), log.append(1, much)])).rejects.toMatchObject({ reason: "LOG_FULL" });
      expect(await log.tail(0)).toBe(last);
      expect(await log.tail(1)).toBe(0);
      const [large, small] = await Promise.allSettled([log.append(1, much), log.append(2, bytesOf("small"))]);
      expect(large).toMatchObject({ status: "rejected", reason: { reason: "LOG_FULL" } });
      expect(small).toEqual({ status: "fulfilled", value: await log.tail(2) });
      await log.trim(0, last - 1);
      expect(await log.append(0, much)).toBeGreaterThan(last);
    });

    test("that is full to the last byte is trimmed of all that can go, and takes again", async () => {
      const log = await open(optionsOf({ bytesMax: 1024 * 1024 }));
      let last = 0;
      for (let bytes = 100 * 1024; bytes >= 1; bytes = Math.floor(bytes / 2)) {
        const filled = await (async () => {
          for (;;) last = await log.append(0, new Uint8Array(bytes));
        })().catch((error: unknown) => error);
        expect(filled).toMatchObject({ reason: "LOG_FULL" });
      }
      await log.trim(0, last);
      expect(await log.tail(0)).toBe(last);
      expect(await log.append(0, bytesOf("next"))).toBeGreaterThan(last);
    });

    test("that was deleted refuses LOG_UNAVAILABLE", async () => {
      const options = optionsOf();
      const log = await open(options);
      await administer(`STREAM.DELETE.${options.name}`, {});
      await expect(log.append(0, bytesOf("x"))).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
      await expect(Promise.all([log.append(0, bytesOf("x")), log.append(0, bytesOf("y"))])).rejects.toMatchObject({
        reason: "LOG_UNAVAILABLE",
      });
      await expect(log.read(0, 0, { max: 1, bytesMax: 1 })).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
    });
  });

  describe("records larger than a message", () => {
    const large = Uint8Array.from({ length: 3_500_000 }, (_, index) => index * 7);

    test("come back as they were, between others, also where little is asked for", async () => {
      const log = await open(optionsOf());
      const sequences = await Promise.all([
        log.append(0, bytesOf("a")),
        log.append(0, large),
        log.append(1, bytesOf("x")),
        log.append(0, bytesOf("b")),
      ]);
      for (const reading of [{}, { current: true }]) {
        const records = await log.read(0, 0, { max: 10, bytesMax: 10_000_000, ...reading });
        expect(records.map(({ sequence }) => sequence)).toEqual([sequences[0], sequences[1], sequences[3]]);
        expect(Buffer.compare(records[1]?.body ?? new Uint8Array(), large)).toBe(0);
      }
      const [only] = await log.read(0, sequences[0], { max: 1, bytesMax: 10 });
      expect(only?.sequence).toBe(sequences[1]);
      expect(Buffer.compare(only?.body ?? new Uint8Array(), large)).toBe(0);
      expect(await log.read(0, 0, { max: 2, bytesMax: 10 })).toHaveLength(1);
      for (const after of [1, 2, 3].map((back) => (sequences[1] ?? 0) - back)) {
        const [whole] = await log.read(0, after, { max: 1, bytesMax: 10 });
        expect(Buffer.compare(whole?.body ?? new Uint8Array(), large)).toBe(0);
      }
    });

    test("are trimmed as a whole or not at all", async () => {
      const log = await open(optionsOf());
      const first = await log.append(0, bytesOf("a"));
      const second = await log.append(0, large);
      await log.append(0, bytesOf("b"));
      await log.trim(0, second - 1);
      const kept = await log.read(0, 0, { max: 10, bytesMax: 10_000_000 });
      expect(kept.map(({ body }) => body.byteLength)).toEqual([large.byteLength, 1]);
      expect(kept[0]?.sequence).toBe(second);
      expect(first).toBeLessThan(second);
      await log.trim(0, second);
      expect(await textsOf(log, 0)).toEqual(["b"]);
    });
  });

  test("watch() tells another process what was written, and tail() shows it", async () => {
    const options = optionsOf();
    const [writer, reader] = [await open(options), await open(options)];
    const heard = Promise.withResolvers<number>();
    const stop = reader.watch(heard.resolve);
    // The server knows of the subscription once it answered something that was asked after it
    await reader.tail(0);
    const sequence = await writer.append(2, bytesOf("news"));
    expect(await heard.promise).toBe(2);
    expect(await reader.tail(2)).toBe(sequence);
    stop();
  });

  test("append() of two processes to one partition keeps one order, each sequence once", async () => {
    const options = optionsOf();
    const writers = [await open(options), await open(options)];
    const given = await Promise.all(Array.from({ length: 400 }, async (_, index) => {
      const text = `${index % 2} ${index}`;
      return { text, sequence: await writers[index % 2]?.append(0, bytesOf(text)) ?? 0 };
    }));
    const read = await readAll(writers[0], 0);
    expect(read).toEqual(given.sort((a, b) => a.sequence - b.sequence));
    const odd = read.filter(({ text }) => text.startsWith("1")).map(({ text }) => Number(text.slice(2)));
    expect(odd).toEqual([...odd].sort((a, b) => a - b));
  });

  test("appends that wait together are one batch, but few are not, which cost less one by one", async () => {
    const options = optionsOf();
    const log = await open(options);
    const connection = await connectJetStream(options);
    const batchOf = (sequence: number) => publishedBatch(connection, options.name, sequence);
    const texts = Array.from({ length: limits.publishedSinglyMax * 2 + 1 }, (_, index) => `${index}`);
    const few = texts.slice(0, limits.publishedSinglyMax);
    await Promise.all(few.map((text) => log.append(0, bytesOf(text))));
    await Promise.all(texts.slice(few.length).map((text) => log.append(0, bytesOf(text))));
    expect(await textsOf(log, 0)).toEqual(texts);
    const batches = await Promise.all(texts.map((_, at) => batchOf(at + 1)));
    expect(new Set(batches.slice(0, few.length))).toEqual(new Set([undefined]));
    expect(new Set(batches.slice(few.length))).toEqual(new Set([expect.any(String)]));
    // Two records of several messages are one batch too
    const large = new Uint8Array(1_500_000);
    const [first = 0, second = 0] = await Promise.all([log.append(0, large), log.append(1, large)]);
    expect(await batchOf(second)).toEqual(await batchOf(first));
    await connection.close();
  });

  test("append() refuses what passes the number that may wait", async () => {
    const log = await open(optionsOf());
    const waiting = Array.from({ length: limits.logAppendsWaitingMax }, () => log.append(0, new Uint8Array(1)));
    await expect(log.append(0, new Uint8Array(1))).rejects.toMatchObject({ reason: "OVERLOADED" });
    expect(new Set(await Promise.all(waiting)).size).toBe(limits.logAppendsWaitingMax);
  });
});

async function readAll(log: Log | undefined, partition: number): Promise<{ text: string; sequence: number }[]> {
  const records = await log?.read(partition, 0, { max: 1_000, bytesMax: 10_000_000 }) ?? [];
  return records.map(({ sequence, body }) => ({ text: new TextDecoder().decode(body), sequence }));
}

async function textsOf(log: Log, partition: number): Promise<string[]> {
  return (await readAll(log, partition)).map(({ text }) => text);
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
