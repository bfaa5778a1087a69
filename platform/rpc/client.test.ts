/** Calls to several processes: what is repeated, what is not, and what the caller learns. */
import { createServer as createHttp2Server, type Http2ServerResponse, type ServerHttp2Session } from "node:http2";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import { Health } from "../../proto/gen/grpc/health/v1/health_pb.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { connectClient } from "./client.ts";
import { callPart, type Implementation, keepingLogger, servePart } from "./part.fixture.ts";
import { RemoteFault } from "./refusal-wire.ts";
import type { RpcServer } from "./server.ts";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function serve(implementation: Implementation): Promise<RpcServer> {
  const server = await servePart(implementation);
  closing.push(() => server.close(0));
  return server;
}

function call(addresses: readonly string[], options: Parameters<typeof callPart>[1] = {}) {
  const { client, close } = callPart(addresses, options);
  closing.push(close);
  return client;
}

/** A port where no server listens. */
async function deadUrl(): Promise<string> {
  const server = await servePart({});
  await server.close();
  return server.url;
}

/** Takes connections, and hands each to `onSocket`. */
async function rawServer(onSocket: (socket: Socket) => void): Promise<{ url: string; server: Server; sockets: number }> {
  const state = { url: "", server: undefined as unknown as Server, sockets: 0 };
  const sockets = new Set<Socket>();
  state.server = createServer((socket) => {
    state.sockets += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    onSocket(socket);
  });
  await new Promise<void>((resolve) => state.server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const socket of sockets) socket.destroy();
    state.server.close();
  });
  state.url = `http://127.0.0.1:${(state.server.address() as { port: number }).port}`;
  return state;
}

async function reason(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(() => "answered", (error: unknown) => error instanceof Refusal ? error.reason : error);
}

/** Begins to work and dies, taking all its connections along. */
async function dyingPart(): Promise<{ server: RpcServer; calls: () => number }> {
  let calls = 0;
  const server: RpcServer = await serve({
    trackUsers: () => die(),
    exportUsers: () => die(),
  });
  function die(): Promise<never> {
    calls += 1;
    void server.close(0);
    return new Promise(() => {});
  }
  return { server, calls: () => calls };
}

for (const shared of [[], ["trackUsers"]]) {
  describe(`connectClient() ${shared.length === 0 ? "alone" : "shared"}`, () => {
    test("goes round its addresses", async () => {
      const counts = [0, 0, 0];
      const servers = await Promise.all(counts.map((_, at) => serve({ trackUsers: () => (counts[at] = (counts[at] ?? 0) + 1, {}) })));
      const client = call(servers.map(({ url }) => url), { shared });
      for (let at = 0; at < 9; at += 1) await client.trackUsers({});
      expect(counts).toEqual([3, 3, 3]);
    });

    test("passes over an address where nobody listens, also for calls that write", async () => {
      let calls = 0;
      const { url } = await serve({ trackUsers: () => (calls += 1, {}) });
      const client = call([await deadUrl(), url], { shared });
      await Promise.all(Array.from({ length: 20 }, () => client.trackUsers({})));
      expect(calls).toBe(20);
    });

    test("is SERVICE_UNAVAILABLE where nobody listens at all", async () => {
      expect(await reason(call([await deadUrl()], { shared }).trackUsers({}))).toBe("SERVICE_UNAVAILABLE");
    });

    test("never repeats a write that may have happened: OUTCOME_UNKNOWN", async () => {
      const dying = await dyingPart();
      let others = 0;
      const other = await serve({ trackUsers: () => (others += 1, {}) });
      expect(await reason(call([dying.server.url, other.url], { shared }).trackUsers({}))).toBe("OUTCOME_UNKNOWN");
      expect([dying.calls(), others]).toEqual([1, 0]);
    });

    test("learns at once that a connection broke after the other side said that it goes", async () => {
      const { url } = await rawServer((socket) => {
        const http2 = createHttp2Server();
        http2.on("stream", (stream) => {
          stream.on("error", () => {});
          stream.session?.goaway(0, stream.id);
          setTimeout(() => socket.resetAndDestroy(), 50);
        });
        http2.emit("connection", socket);
      });
      expect(await reason(call([url], { shared, deadlineMs: 60_000 }).trackUsers({}))).toBe("OUTCOME_UNKNOWN");
    });

    test("finds a part that was started again at the same address", async () => {
      const first = await servePart({ trackUsers: () => ({ position: "first" }) });
      const client = call([first.url], { shared });
      expect(await client.trackUsers({})).toMatchObject({ position: "first" });
      await first.close();
      expect(await reason(client.trackUsers({}))).toBe("SERVICE_UNAVAILABLE");
      const second = await servePart({ trackUsers: () => ({ position: "second" }) }, { port: first.port });
      closing.push(() => second.close(0));
      expect(await client.trackUsers({})).toMatchObject({ position: "second" });
    });

    test("a rolling restart under load fails no call", async () => {
      let calls = 0;
      const implementation: Implementation = { trackUsers: async () => (calls += 1, await new Promise(setImmediate), {}) };
      const servers = [await servePart(implementation), await servePart(implementation)];
      const client = call(servers.map(({ url }) => url), { shared });
      const load = { done: false };
      let answered = 0;
      const callers = Array.from({ length: 16 }, async () => {
        while (!load.done) {
          await client.trackUsers({});
          answered += 1;
        }
      });
      for (const [at, server] of servers.entries()) {
        await until(() => answered > 100 * (at + 1));
        await server.close();
        servers[at] = await servePart(implementation, { port: server.port });
      }
      const enough = answered + 100;
      await until(() => answered > enough);
      load.done = true;
      await Promise.all(callers);
      closing.push(...servers.map((server) => () => server.close(0)));
      expect(calls).toBe(answered);
    });

    test("is refused before its deadline by a server that lives", async () => {
      const { url } = await serve({ trackUsers: () => new Promise(() => {}) });
      const begun = performance.now();
      expect(await reason(call([url], { shared, deadlineMs: 200 }).trackUsers({}))).toBe("DEADLINE_EXCEEDED");
      expect(performance.now() - begun).toBeLessThan(2_000);
    });

    test("a call's own deadline goes before that of its client", async () => {
      const { url } = await serve({ trackUsers: () => new Promise(() => {}) });
      expect(await reason(call([url], { shared, deadlineMs: 60_000 }).trackUsers({}, { timeoutMs: 100 }))).toBe("DEADLINE_EXCEEDED");
    });

    test("waits for no connection longer than it may: a server that says nothing is as good as none", async () => {
      const silent = await rawServer(() => {});
      const { url } = await serve({ trackUsers: () => ({ position: "here" }) });
      const clock = fakeClock();
      const client = call([silent.url, url], { shared, clock });
      const answer = client.trackUsers({});
      await until(() => silent.sockets > 0);
      clock.advance(limits.rpcConnectMsMax);
      expect(await answer).toMatchObject({ position: "here" });
    });
  });
}

describe("connectClient()", () => {
  test("repeats a read whose answer was lost", async () => {
    const dying = await dyingPart();
    const other = await serve({ exportUsers: () => ({ behind: true }) });
    expect(await call([dying.server.url, other.url]).exportUsers({})).toMatchObject({ behind: true });
    expect(dying.calls()).toBe(1);
  });

  test("a read that nobody answers is SERVICE_UNAVAILABLE", async () => {
    const dying = await dyingPart();
    expect(await reason(call([dying.server.url]).exportUsers({}))).toBe("SERVICE_UNAVAILABLE");
  });

  test("repeats no refusal of the service, not even that its log is away", async () => {
    let calls = 0;
    const implementation: Implementation = {
      exportUsers: () => {
        calls += 1;
        throw new Refusal("STORE_UNAVAILABLE");
      },
    };
    const servers = [await serve(implementation), await serve(implementation)];
    expect(await reason(call(servers.map(({ url }) => url)).exportUsers({}))).toBe("STORE_UNAVAILABLE");
    expect(calls).toBe(1);
  });

  test("tells of a fault nothing but its id", async () => {
    const { url } = await serve({
      trackUsers: () => {
        throw new Error("secret");
      },
    });
    const fault = await reason(call([url]).trackUsers({})) as RemoteFault;
    expect(fault).toBeInstanceOf(RemoteFault);
    expect(fault.faultId).toMatch(/^fault_[0-9a-f]{32}$/);
    expect(JSON.stringify([fault.message, String(fault.cause)])).not.toContain("secret");
  });

  test("calls whose time is over call nobody", async () => {
    let calls = 0;
    const { url } = await serve({ trackUsers: () => (calls += 1, {}) });
    expect(await reason(call([url]).trackUsers({}, { timeoutMs: 1 }))).toBe("DEADLINE_EXCEEDED");
    expect(calls).toBe(0);
  });

  test("refuses a service with streams, an unknown shared method, and no address", () => {
    const options = { addresses: ["http://127.0.0.1:1"], caller: "gateway", deadlineMs: 1_000 };
    expect(() => connectClient(Health, options)).toThrow(/^Expected a unary method/);
    expect(() => callPart(options.addresses, { shared: ["constructor"] })).toThrow(/^Expected a unary method/);
    expect(() => callPart([])).toThrow(/^Expected an address/);
  });
});

for (const shared of [[], ["trackUsers"]]) {
  test(`connectClient() ${shared.length === 0 ? "alone" : "shared"} logs an answer that is no message, which no connection makes`, async () => {
    const url = await rawHttp2((response) => response.end(Buffer.from([0x0a, 0xff])));
    const logger = keepingLogger();
    await expect(call([url], { shared, logger }).trackUsers({})).rejects.toBeInstanceOf(Error);
    expect(logger.lines.map(([level, event]) => [level, event])).toEqual([["error", "rpc_call_defect"]]);
  });
}

/** Gives each call the head of a good answer. */
async function rawHttp2(answer: (response: Http2ServerResponse) => void): Promise<string> {
  const sessions = new Set<ServerHttp2Session>();
  const server = createHttp2Server((_, response) => {
    response.writeHead(200, { "content-type": "application/proto" });
    answer(response);
  });
  server.on("session", (session) => sessions.add(session));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as { port: number }).port}`;
}

/** SETTINGS without any: the first word of a server. */
const firstWord = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

test("connectClient() gives up a connection that shows no sign of life, as after a partition", async () => {
  let bytes = 0;
  const mute = await rawServer((socket) => {
    socket.write(firstWord);
    socket.on("data", (chunk) => (bytes += chunk.length));
  });
  const clock = fakeClock();
  const client = call([mute.url], { clock });
  const answer = reason(client.trackUsers({}));
  await until(() => bytes > 100);
  clock.advance(limits.rpcPingIntervalMs);
  clock.advance(limits.rpcPingTimeoutMs);
  expect(await answer).toBe("OUTCOME_UNKNOWN");
});

test("connectClient() sends no call more over a connection whose server says that it takes none", async () => {
  const sessions = new Set<unknown>();
  const heard = Promise.withResolvers<void>();
  const url = await rawHttp2((response) => {
    const { session } = response.stream;
    if (sessions.size === 0) session?.settings({ maxConcurrentStreams: 0 }, () => heard.resolve());
    sessions.add(session);
    response.end();
  });
  const client = call([url]);
  await client.trackUsers({});
  await heard.promise;
  await client.trackUsers({});
  expect(sessions.size).toBe(2);
});

test("connectClient() keeps a connection that answers pings, however long a call takes", async () => {
  const done = Promise.withResolvers<{ position: string }>();
  const begun = Promise.withResolvers<void>();
  const { url } = await serve({ trackUsers: () => (begun.resolve(), done.promise), exportUsers: () => ({}) });
  const clock = fakeClock();
  const client = call([url], { clock, deadlineMs: 60_000 });
  const answer = client.trackUsers({});
  await begun.promise;
  for (let at = 0; at < 3; at += 1) {
    clock.advance(limits.rpcPingIntervalMs);
    // Its answer comes after that to the ping
    await client.exportUsers({});
    clock.advance(limits.rpcPingTimeoutMs);
  }
  done.resolve({ position: "late" });
  expect(await answer).toMatchObject({ position: "late" });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(setImmediate);
}
