/** A served part from outside: its protocols, its callers, what it reports of itself, and how it closes. */
import { connect } from "node:net";
import { createClient, type Transport } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { afterEach, describe, expect, test } from "vitest";
import { Health } from "../../proto/gen/grpc/health/v1/health_pb.ts";
import { ServerReflection } from "../../proto/gen/grpc/reflection/v1/reflection_pb.ts";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { callPart, type Implementation, keepingLogger, servePart } from "./part.fixture.ts";
import type { RpcServer } from "./server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(implementation: Implementation, options: Parameters<typeof servePart>[1] = {}): Promise<RpcServer> {
  const server = await servePart(implementation, options);
  closing.push(() => server.close(0));
  return server;
}

const transports: Record<string, (baseUrl: string) => Transport> = {
  "Connect over HTTP/2": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "2" }),
  "Connect over HTTP/1.1": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1" }),
  "Connect, JSON": (baseUrl) => createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  "gRPC-web": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};
const headers = { "heddle-caller": "gateway" };

for (const [name, transportTo] of Object.entries(transports)) {
  describe(`serveRpc() by ${name}`, () => {
    test("answers, refuses with a reason, and tells nothing of a fault", async () => {
      const logger = keepingLogger();
      const secret = "password=hunter2 at /srv/secret.ts:3";
      const { url } = await serve({
        trackUsers: () => ({ position: "p" }),
        exportUsers: () => Promise.reject(new Refusal("NOT_FOUND", "Expected a user", { cause: new Error(secret) })),
        listUsers: () => Promise.reject(Object.assign(new Error(secret, { cause: new Error(secret) }), { secret })),
        deleteUsers: () => {
          throw secret;
        },
      }, { logger });
      const client = createClient(ProfileService, transportTo(url));
      expect(await client.trackUsers({}, { headers })).toMatchObject({ position: "p" });
      const refused = await rejection(client.exportUsers({}, { headers }));
      expect([refused.rawMessage, refused.metadata.get("heddle-reason")]).toEqual(["Expected a user", "NOT_FOUND"]);
      for (const fault of [await rejection(client.listUsers({}, { headers })), await rejection(client.deleteUsers({}, { headers }))]) {
        expect(fault.rawMessage).toBe("");
        const id = fault.metadata.get("heddle-fault-id");
        expect(logger.lines.some(([, , , fields]) => (fields as { faultId: string }).faultId === id)).toBe(true);
        const seen = JSON.stringify([
          fault.message,
          [...fault.metadata],
          fault.details.map((detail) => Buffer.from(detail.value as Uint8Array).toString()),
        ]);
        expect(seen).not.toMatch(/hunter2|secret|\.ts:\d/);
      }
    });

    test("refuses a caller before its message is read, and a message that is too large", async () => {
      let calls = 0;
      const { url } = await serve({ trackUsers: () => (calls += 1, {}) });
      const client = createClient(ProfileService, transportTo(url));
      expect((await rejection(client.trackUsers({}))).metadata.get("heddle-reason")).toBe("CALLER_NOT_ALLOWED");
      expect((await rejection(client.trackUsers({}, { headers: { "heddle-caller": "content" } }))).rawMessage).toContain('"content"');
      // As text it would cost seconds to write
      if (name === "Connect, JSON") return expect(calls).toBe(0);
      const large = client.trackUsers({ bodyJson: new Uint8Array(limits.rpcMessageBytesMax + 1) }, { headers });
      // A client that still writes may see its stream end before it sees why
      await expect(large).rejects.toThrow(name === "gRPC" ? /resource_exhausted|internal/ : /resource_exhausted/);
      expect(calls).toBe(0);
    });
  });
}

test("serveRpc() a deadline shrinks from hop to hop", async () => {
  const left: number[] = [];
  const last = await serve({ trackUsers: (_, { timeoutMs }) => (left.push(timeoutMs() ?? Infinity), {}) });
  const { client: toLast, close } = callPart([last.url]);
  closing.push(close);
  const first = await serve({
    async trackUsers(_, context) {
      left.push(context.timeoutMs() ?? Infinity);
      return toLast.trackUsers({});
    },
  });
  const { client, close: closeClient } = callPart([first.url]);
  closing.push(closeClient);
  await client.trackUsers({}, { timeoutMs: 2_000 });
  const [atFirst = 0, atLast = 0] = left;
  expect(atFirst).toBeLessThanOrEqual(1_980);
  expect(atLast).toBeLessThanOrEqual(atFirst - 20);
  expect(atLast).toBeGreaterThan(0);
});

test("serveRpc() reflection is off unless asked for", async () => {
  const { url } = await serve({});
  const client = createClient(ServerReflection, createConnectTransport({ baseUrl: url, httpVersion: "2" }));
  const answers = client.serverReflectionInfo((async function* () {
    yield { messageRequest: { case: "listServices" as const, value: "" } };
  })());
  await expect(answers[Symbol.asyncIterator]().next()).rejects.toThrow(/unimplemented|404/);
});

test("serveRpc() health follows what it is told, and a watch hears of changes and of the end", async () => {
  let ready = true;
  const server = await serve({}, { health: () => ({ ready }) });
  const client = createClient(Health, createConnectTransport({ baseUrl: server.url, httpVersion: "2" }));
  expect(await client.check({ service: ProfileService.typeName })).toMatchObject({ status: 1 });
  const watch = client.watch({})[Symbol.asyncIterator]();
  const stranger = client.watch({ service: "no.such" })[Symbol.asyncIterator]();
  expect((await watch.next()).value).toMatchObject({ status: 1 });
  expect((await stranger.next()).value).toMatchObject({ status: 3 });
  const strangerEnds = stranger.next();
  ready = false;
  expect((await watch.next()).value).toMatchObject({ status: 2 });
  expect(await client.check({})).toMatchObject({ status: 2 });
  ready = true;
  expect((await watch.next()).value).toMatchObject({ status: 1 });
  const closed = server.close();
  expect((await watch.next()).value).toMatchObject({ status: 2 });
  expect((await watch.next()).done).toBe(true);
  expect((await strangerEnds).done).toBe(true);
  await closed;
});

describe("serveRpc() close()", () => {
  for (const [name, transportTo] of Object.entries(transports)) {
    test(`finishes what is under way by ${name}`, async () => {
      const work = Promise.withResolvers<{ position: string }>();
      const begun = Promise.withResolvers<void>();
      const server = await serve({ trackUsers: () => (begun.resolve(), work.promise) });
      const answer = createClient(ProfileService, transportTo(server.url)).trackUsers({}, { headers });
      await begun.promise;
      const closed = server.close();
      work.resolve({ position: "p".repeat(1_000_000) });
      expect((await answer).position).toHaveLength(1_000_000);
      await closed;
    });
  }

  test("cuts what lasts longer than it may", async () => {
    const begun = Promise.withResolvers<void>();
    const server = await serve({ trackUsers: () => (begun.resolve(), new Promise(() => {})) });
    const answer = rejection(
      createClient(ProfileService, createConnectTransport({ baseUrl: server.url, httpVersion: "2" })).trackUsers({}, { headers }),
    );
    await begun.promise;
    await server.close(10);
    await answer;
  });

  test("is not held up by connections that say nothing", async () => {
    const server = await serve({});
    const socket = connect(server.port, "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    socket.on("error", () => {});
    await server.close(60_000);
    socket.destroy();
  });
});

describe("serveRpc() what is no RPC", () => {
  for (
    const [name, text, answer] of [
      ["an unknown path", "GET /nope HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", /^HTTP\/1.1 404/],
      [
        "a host that makes no URL",
        "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: [\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
        /^HTTP\/1.1 421/,
      ],
      [
        "a name of the web, which a page may have bound to this address",
        "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: evil.example:9101\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
        /^HTTP\/1.1 421/,
      ],
      [
        "a content type of its own",
        "POST /grpc.health.v1.Health/Check HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
        /^HTTP\/1.1 415/,
      ],
      ["two bytes of a preface, then an end", "PR", /^$/],
      ["a letter at a time", "G", /^$/],
      ["noise", "\u0016\u0003\u0001\u0000\u0000\u0000", /^HTTP\/1.1 400|^$/],
    ] as const
  ) {
    test(`${name} is refused, and calls go on`, async () => {
      const { url, port } = await serve({ trackUsers: () => ({ position: "p" }) });
      expect(await answerTo(port, text)).toMatch(answer);
      const { client, close } = callPart([url]);
      closing.push(close);
      expect(await client.trackUsers({})).toMatchObject({ position: "p" });
    });
  }

  test("a request over HTTP/1.1 that never ends is cut", { timeout: limits.rpcFirstBytesMsMax + 15_000 }, async () => {
    const { port } = await serve({});
    const socket = connect(port, "127.0.0.1");
    socket.write("POST / HTTP/1.1\r\nHost: x\r\n");
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 408/);
  });

  test("a preface that comes in pieces is one", async () => {
    const { port } = await serve({});
    const socket = connect(port, "127.0.0.1");
    const first = new Promise<Buffer>((resolve) => socket.once("data", resolve));
    for (const piece of ["P", "R", "I * HTTP/2.0\r\n", "\r\nSM\r\n\r\n", "\0\0\0\u0004\0\0\0\0\0"]) {
      socket.write(piece, "latin1");
      await new Promise(setImmediate);
    }
    expect((await first)[3]).toBe(4);
    socket.destroy();
  });
});

async function answerTo(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(text, "latin1");
  return textOf(socket);
}

async function textOf(socket: AsyncIterable<unknown>): Promise<string> {
  let answer = "";
  try {
    for await (const chunk of socket) answer += chunk;
  } catch {
    // Cut off: what came so far is the answer
  }
  return answer;
}

async function rejection(
  call: Promise<unknown>,
): Promise<{ rawMessage: string; message: string; metadata: Headers; details: { value: unknown }[] }> {
  return call.then(() => expect.fail("Expected a rejection"), (error) => error);
}
