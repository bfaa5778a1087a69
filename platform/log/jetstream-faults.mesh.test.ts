/** The log in JetStream while the server is killed, stopped and started anew, with a journal of every answer. */
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type NatsServer, startNats } from "../../test/servers/nats.ts";
import { describeWith } from "../../test/servers/require.ts";
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { connectJetStream } from "./jetstream-connection.ts";
import { openJetStreamLog } from "./jetstream.ts";
import type { Log } from "./log.ts";

await describeWith(["nats"], "openJetStreamLog() on a server that fails", () => {
  let server: NatsServer;
  let logs: Log[];
  beforeEach(async () => {
    server = await startNats();
    logs = [];
  });
  afterEach(async () => {
    for (const log of logs) await log.close();
    await server.stop();
  });

  async function open(url = server.url): Promise<Log> {
    const options = { servers: [url], name: "faults", partitions: 3, replicas: 1, bytesMax: 256 * 1024 ** 2 };
    const log = await openJetStreamLog({ ...options, clock: systemClock, logger: silentLogger });
    logs.push(log);
    return log;
  }

  // As batches, and one by one
  test.each([12, 4])(
    "loses nothing that was acknowledged, writes nothing twice and nothing it refused, over kill -9 under load of %i appends at once",
    { timeout: 120_000 },
    async (loopsOfWriter) => {
      const writers = [await open(), await open()];
      const journal: Entry[] = [];
      const load = { running: true };
      /** Appends one after the other, each its own text, and notes each outcome. */
      async function write(writer: number, loop: number): Promise<void> {
        for (let count = 0; load.running; count += 1) {
          const text = `${writer}/${loop} ${count}`;
          const partition = loop % 3;
          const told = await writers[writer]?.append(partition, bytesOf(text)).catch(reasonOf) ?? "";
          journal.push({ text, partition, told });
          // A refusal comes at once; the loop must not outrun the server's return
          if (told === "LOG_UNAVAILABLE") await pause(5);
        }
      }
      const loops = [0, 1].flatMap((writer) => Array.from({ length: loopsOfWriter }, (_, loop) => write(writer, loop)));
      for (let round = 0; round < 3; round += 1) {
        const seen = acknowledged(journal).length;
        await expect.poll(() => acknowledged(journal).length, { timeout: 20_000 }).toBeGreaterThan(seen + 300);
        await server.restart("SIGKILL");
      }
      const seen = acknowledged(journal).length;
      await expect.poll(() => acknowledged(journal).length, { timeout: 20_000 }).toBeGreaterThan(seen + 100);
      load.running = false;
      await Promise.all(loops);

      const written = new Map<string, number>();
      for (const partition of [0, 1, 2]) {
        for (const { sequence, text } of await readAll(await open(), partition)) {
          expect(written.has(text), `"${text}" is there twice`).toBe(false);
          written.set(text, sequence);
        }
      }
      expect(acknowledged(journal).filter(({ text, told }) => written.get(text) !== told)).toEqual([]);
      expect(journal.filter(({ text, told }) => told === "LOG_UNAVAILABLE" && written.has(text))).toEqual([]);
      expect(new Set(journal.map(({ told }) => typeof told === "number" ? "sequence" : told)).size).toBeGreaterThan(1);
      expect(disordered(journal, written)).toEqual([]);
    },
  );

  test("refuses at once while the server is dead, and goes on by itself, watchers too", { timeout: 60_000 }, async () => {
    const log = await open();
    await log.append(0, bytesOf("before"));
    await server.kill("SIGKILL");
    await expect.poll(() => log.append(0, bytesOf("probe")).catch(reasonOf)).toBe("LOG_UNAVAILABLE");
    const start = performance.now();
    await expect(log.append(0, bytesOf("x"))).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
    await expect(log.tail(0)).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
    await expect(log.read(0, 0, { max: 1, bytesMax: 1 })).rejects.toMatchObject({ reason: "LOG_UNAVAILABLE" });
    expect(performance.now() - start).toBeLessThan(500);
    const heard = new Set<number>();
    const stop = log.watch((partition) => heard.add(partition));
    await server.restart();
    await expect.poll(() => [...heard].sort(), { timeout: 10_000 }).toEqual([0, 1, 2]);
    stop();
    expect(await log.append(0, bytesOf("after"))).toBeGreaterThan(0);
    expect((await readAll(log, 0)).map(({ text }) => text)).toEqual(["before", "after"]);
  });

  test(
    "answers OUTCOME_UNKNOWN to what was sent to a server that hangs, and refuses what waits behind it",
    { timeout: 60_000 },
    async () => {
      const log = await open();
      await server.kill("SIGSTOP");
      const sent = log.append(0, bytesOf("sent")).catch(reasonOf);
      await pause(50);
      const behind = log.append(0, bytesOf("behind")).catch(reasonOf);
      expect(await sent).toBe("OUTCOME_UNKNOWN");
      expect(await behind).toBe("LOG_UNAVAILABLE");
      await server.kill("SIGCONT");
      await expect.poll(() => log.append(0, bytesOf("after")).then(() => "taken", reasonOf), { timeout: limits.logAnswerMsMax * 2 }).toBe(
        "taken",
      );
      const texts = (await readAll(log, 0)).map(({ text }) => text).filter((text) => text !== "after");
      expect(["", "sent"]).toContain(texts.join());
    },
  );

  test("a tail never steps back, however late a process that was replaced notes the one that it saw", { timeout: 60_000 }, async () => {
    const way = await holding(server.url, "trimmed.0 ");
    const [late, next] = [await open(way.url), await open()];
    const trimming = late.trim(0, await next.append(0, bytesOf("one")));
    await way.held;
    const last = await next.append(0, bytesOf("two"));
    await next.trim(0, last);
    way.release();
    await trimming;
    expect(await (await open()).tail(0)).toBe(last);
    await way.close();
  });

  test("leaves a server that takes nothing any more, however much is on its way there", { timeout: 60_000 }, async () => {
    const said: string[] = [];
    const connection = await connectJetStream({
      servers: [server.url],
      logger: { ...silentLogger, warn: (event) => void said.push(event) },
    });
    await server.kill("SIGSTOP");
    for (let megabytes = 0; megabytes < 50; megabytes += 1) connection.publish("much", new Uint8Array(1_000_000));
    await expect.poll(() => said, { timeout: 4 * limits.logPingMs }).toEqual(["nats_lost"]);
    await connection.close();
    await server.kill("SIGCONT");
  });
});

/** A way to the server on which what contains `text` waits, and all behind it, until it is released. */
async function holding(behind: string, text: string) {
  const { hostname, port } = new URL(behind);
  const sockets: Socket[] = [];
  const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const way = createServer((socket) => {
    const onward = connect(Number(port), hostname);
    sockets.push(socket, onward);
    onward.pipe(socket);
    void (async () => {
      for await (const bytes of socket as AsyncIterable<Buffer>) {
        if (bytes.includes(text)) {
          held.resolve();
          await released.promise;
        }
        onward.write(bytes);
      }
    })().catch(() => {});
  });
  await new Promise<void>((done) => way.listen(0, "127.0.0.1", done));
  return {
    url: `nats://127.0.0.1:${(way.address() as AddressInfo).port}`,
    held: held.promise,
    release: () => released.resolve(),
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => way.close(done));
    },
  };
}

interface Entry {
  readonly text: string;
  readonly partition: number;
  /** The sequence, or the reason it was refused with. */
  readonly told: number | string;
}

function acknowledged(journal: readonly Entry[]): Entry[] {
  return journal.filter(({ told }) => typeof told === "number");
}

/** Pairs of one loop that were acknowledged in one order and lie in another. */
function disordered(journal: readonly Entry[], written: ReadonlyMap<string, number>): string[] {
  const last = new Map<string, number>();
  return journal.flatMap(({ text }) => {
    const [loop = ""] = text.split(" ");
    const sequence = written.get(text);
    if (sequence === undefined) return [];
    const before = last.get(loop) ?? 0;
    last.set(loop, sequence);
    return sequence > before ? [] : [`${text}: ${sequence} after ${before}`];
  });
}

async function readAll(log: Log, partition: number): Promise<{ text: string; sequence: number }[]> {
  const all: { text: string; sequence: number }[] = [];
  for (;;) {
    const records = await log.read(partition, all.at(-1)?.sequence ?? 0, { max: 500, bytesMax: 10_000_000 });
    if (records.length === 0) return all;
    all.push(...records.map(({ sequence, body }) => ({ sequence, text: new TextDecoder().decode(body) })));
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Refusal) return error.reason;
  throw error;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
