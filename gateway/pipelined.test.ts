/** Requests that come right behind others on their connection: what they hold, and that none is carried out behind the last (RFC 9112 section 9.6). */
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { limits } from "../platform/limits.ts";
import { TrackUsersResponseSchema } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { startStubGateway, type StubGateway, stubKey } from "../test/gateway-stub.ts";

let started: StubGateway | undefined;
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await started?.gateway.close();
  started = undefined;
});

/** Its trackUsers answers once it was called so often. */
async function start(callsAwaited = 0): Promise<StubGateway & { readonly calls: () => number }> {
  const all = Promise.withResolvers<void>();
  let calls = 0;
  started = await startStubGateway({
    profile: {
      async trackUsers() {
        calls += 1;
        if (calls >= callsAwaited) all.resolve();
        await all.promise;
        return create(TrackUsersResponseSchema, { attributesProcessed: 1 });
      },
    },
  });
  return { ...started, calls: () => calls };
}

interface Sent {
  readonly socket: Socket;
  /** Of the answers so far. */
  readonly statuses: () => number[];
}

/** Sends it on a connection of its own, which stays open. */
function send({ port }: StubGateway, text: string): Sent {
  const socket = connect(port, "127.0.0.1");
  socket.write(text);
  socket.on("error", () => {});
  let received = "";
  socket.on("data", (chunk) => (received += String(chunk)));
  sockets.push(socket);
  return { socket, statuses: () => [...received.matchAll(/HTTP\/1\.1 (\d{3})/g)].map((match) => Number(match[1])) };
}

const headers = `Host: a\r\nAuthorization: Bearer ${stubKey}\r\nContent-Type: application/json\r\n`;
const liveView = `GET /console/live HTTP/1.1\r\n${headers}Accept: text/event-stream\r\n\r\n`;
const probe = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n";

function track(body: string): string {
  return `POST /users/track HTTP/1.1\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
}

test("requests that are answered behind a live view give their slots back", async () => {
  const behind = limits.requestsInFlightMax - 1;
  const gateway = await start(behind);
  send(gateway, liveView + track("{}").repeat(behind));
  await expect.poll(gateway.calls, { timeout: 20_000 }).toBe(behind);
  await expect.poll(async () => (await gateway.post("/users/track", {})).status).toBe(201);
}, 60_000);

test("requests that are answered behind a live view hold no bytes of bodies", async () => {
  const gateway = await start();
  const large = track(" ".repeat(8 * 1024 * 1024));
  const most = limits.largeBodyBytesInFlightMax / (8 * 1024 * 1024);
  const { socket } = send(gateway, liveView);
  for (let at = 0; at < most; at += 1) socket.write(large);
  await expect.poll(gateway.calls, { timeout: 20_000 }).toBe(most);
  const { statuses } = send(gateway, large);
  await expect.poll(statuses, { timeout: 20_000 }).toEqual([201]);
}, 60_000);

test("so many answers wait behind others, and no more: the connection of one more is cut", async () => {
  const gateway = await start();
  const each = limits.answersWaitingMax / 5 - 50;
  const sent = Array.from({ length: 10 }, () => send(gateway, liveView + probe.repeat(each)));
  await expect.poll(() => sent.filter(({ socket }) => !socket.closed).length).toBeLessThanOrEqual(5);
  expect((await gateway.get("/livez")).status).toBe(200);
  for (const { socket } of sent) socket.destroy();
  // What waited has gone with its connections
  const { statuses } = send(gateway, probe.repeat(each));
  await expect.poll(statuses).toEqual(Array.from({ length: each }, () => 200));
}, 60_000);

test("a request behind one that is refused for its head is not carried out", async () => {
  const gateway = await start();
  const twice = track("{}").replace("Host: a", "Host: a\r\nAuthorization: Bearer x");
  const { socket, statuses } = send(gateway, twice + track("{}"));
  await expect.poll(() => socket.closed).toBe(true);
  expect([statuses(), gateway.calls()]).toEqual([[400], 0]);
});

test("a request behind the rest of a body whose request was answered meanwhile is not carried out", async () => {
  const gateway = await start();
  const wrongKey = track("{    }").replace(stubKey, "wrong-key-0123456789");
  const { socket, statuses } = send(gateway, wrongKey.slice(0, -3));
  await expect.poll(statuses).toEqual([401]);
  socket.write(wrongKey.slice(-3) + track("{}"));
  await expect.poll(() => socket.closed).toBe(true);
  expect([statuses(), gateway.calls()]).toEqual([[401], 0]);
});

test("a request behind the last that a connection carries is not carried out", async () => {
  const gateway = await start();
  const { socket, statuses } = send(gateway, probe.repeat(limits.requestsPerSocketMax) + track("{}"));
  await expect.poll(() => socket.closed, { timeout: 20_000 }).toBe(true);
  expect([statuses().length, gateway.calls()]).toEqual([limits.requestsPerSocketMax, 0]);
}, 60_000);

test("requests that are not carried out wait no longer than others behind a live view: too many of them end it", async () => {
  const gateway = await start();
  const twice = track("{}").replace("Host: a", "Host: a\r\nAuthorization: Bearer x");
  const { socket } = send(gateway, liveView + twice + probe.repeat(limits.answersWaitingMax));
  await expect.poll(() => socket.closed).toBe(true);
});
