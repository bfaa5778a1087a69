/** A client that asks and does not read is cut after the documented time; one that reads slowly is not. */
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { fakeClock } from "../platform/clock.fixture.ts";
import { limits } from "../platform/limits.ts";
import { silentLogger } from "../platform/logger.ts";
import type { AnswerStream, HttpAnswer } from "./http/http-message.ts";
import { type HttpServer, openServer } from "./server.ts";

const body = new Uint8Array(64 * 1024 * 1024).fill(0x20);
let server: HttpServer | undefined;
let socket: Socket | undefined;
afterEach(async () => {
  socket?.destroy();
  await server?.close();
});

/** A client that has asked and reads nothing yet. */
async function ask(stream?: HttpAnswer["stream"]): Promise<{ client: Socket; second: () => Promise<void> }> {
  const clock = fakeClock();
  let answered = false;
  server = openServer({
    host: "127.0.0.1",
    port: 0,
    leaveMs: 0,
    clock,
    logger: silentLogger,
    newRequestId: () => "r",
    answer: () => {
      answered = true;
      return Promise.resolve(stream === undefined ? { status: 200, headers: [], body } : { status: 200, headers: [], body: "", stream });
    },
  });
  const { url } = await server.listen();
  const client = connect(Number(new URL(url).port), "127.0.0.1", () => client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n"));
  client.pause();
  client.on("error", () => {});
  socket = client;
  await expect.poll(() => answered).toBe(true);
  return {
    client,
    async second() {
      clock.advance(1_000);
      // What the system moves meanwhile
      await new Promise((resolve) => setTimeout(resolve, 10));
    },
  };
}

test("a client that does not read is cut after the time that a socket may be idle", async () => {
  const { client, second } = await ask();
  await second();
  for (let at = 0; at < limits.socketIdleMs / 1_000 + 2; at += 1) await second();
  let received = 0;
  const closed = new Promise((resolve) => client.once("close", resolve));
  client.on("data", (chunk) => received += chunk.length);
  client.resume();
  await closed;
  expect(received).toBeLessThan(body.length);
});

test("a client that reads now and then gets all of its answer", async () => {
  const { client, second } = await ask();
  let received = 0;
  client.on("data", (chunk) => {
    received += chunk.length;
    client.pause();
  });
  for (let at = 0; at < 4 * limits.socketIdleMs / 1_000; at += 1) {
    for (let chunk = 0; chunk < 20; chunk += 1) {
      client.resume();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await second();
    expect(client.destroyed).toBe(false);
  }
  client.on("data", () => client.resume());
  client.resume();
  await expect.poll(() => received).toBeGreaterThan(body.length);
});

test("a client that takes nothing of an answer which goes on is known by what waits for it, and cut; one that reads is not", async () => {
  for (const reads of [false, true]) {
    let out: AnswerStream | undefined;
    let ended = 0;
    const { client, second } = await ask((opened) => {
      out = opened;
      return () => (ended += 1);
    });
    if (reads) client.resume();
    const piece = "x".repeat(1024 * 1024);
    for (let at = 0; at < limits.socketIdleMs / 1_000 + 4; at += 1) {
      // The writer stops by itself, as live views do
      if ((out?.waiting ?? 0) < 2 * piece.length) out?.write(piece);
      await second();
    }
    if (reads) {
      await expect.poll(() => out?.waiting).toBe(0);
      expect(ended).toBe(0);
    } else {
      expect(out?.waiting).toBeGreaterThan(piece.length);
      // What the system takes of the first pieces, it may take late: the client is seen to move until then
      await expect.poll(async () => {
        await second();
        return ended;
      }).toBe(1);
    }
    client.destroy();
    await expect.poll(() => ended).toBe(1);
    await server?.close();
  }
});
