/** The bus of gateways connects for as long as that takes, and leaves nothing open behind it. */
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fakeClock } from "../../../platform/clock.fixture.ts";
import { limits } from "../../../platform/limits.ts";
import { silentLogger } from "../../../platform/logger.ts";
import { connectGatewayBus } from "./gateway-bus.ts";

const info = `INFO ${JSON.stringify({ server_id: "s", version: "2.12.0", proto: 1, max_payload: 8 << 20, headers: true })}\r\n`;

let server: Server;
let sockets: Socket[];

beforeEach(async () => {
  sockets = [];
  server = createServer((socket) => {
    sockets.push(socket);
    socket.on("error", () => {}).on("data", (data) => String(data).includes("PING") && socket.write("PONG\r\n"));
    // The first try fails; the one after it waits until the test lets it go on
    if (sockets.length === 1) socket.destroy();
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  server.close();
});

/** `waiting`: how many callbacks of the clock are still to come. */
async function afterAFailedTry() {
  const clock = fakeClock();
  const waiting = new Set<unknown>();
  function after(ms: number, callback: () => void): () => void {
    const cancel = clock.after(ms, callback);
    waiting.add(cancel);
    return () => {
      waiting.delete(cancel);
      cancel();
    };
  }
  const { port } = server.address() as AddressInfo;
  const bus = connectGatewayBus({ servers: [`nats://127.0.0.1:${port}`], logger: silentLogger }, { ...clock, after });
  await bus.tried;
  return { bus, clock, waiting };
}

test("close() while it tries again closes the connection that comes of it", async () => {
  const { bus, clock } = await afterAFailedTry();
  clock.advance(limits.logConnectMs);
  await expect.poll(() => sockets.length).toBe(2);
  const closing = bus.close();
  const second = sockets[1] as Socket;
  const left = new Promise((resolve) => second.once("close", resolve));
  second.write(info);
  await closing;
  await left;
  expect(second.destroyed).toBe(true);
});

test("close() between two tries ends them", async () => {
  const { bus, waiting } = await afterAFailedTry();
  expect(waiting.size).toBe(1);
  await bus.close();
  expect(waiting.size).toBe(0);
});
