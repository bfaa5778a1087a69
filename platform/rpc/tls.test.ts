/** Certificates of both sides: who is not vouched for by the authority reaches nothing, and a name is what the certificate says. */
import { connect as connectHttp2 } from "node:http2";
import { connect as connectSocket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { ProfileService } from "../../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { type Authority, certificateFolder, openAuthority, type Pair } from "./certificates.fixture.ts";
import type { ClientTls } from "./connection.ts";
import { callPart, keepingLogger, servePart } from "./part.fixture.ts";
import type { RpcServer } from "./server.ts";

const folder = certificateFolder();
let authority: Authority;
let other: Authority;
let serverPair: Pair;
let gateway: Pair;
beforeAll(() => {
  authority = openAuthority(folder.path, "authority");
  other = openAuthority(folder.path, "other");
  serverPair = authority.issue("DNS:profile,DNS:localhost");
  gateway = authority.issue("DNS:gateway,URI:spiffe://heddle/gateway");
});
afterAll(() => folder.remove());

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

let calls = 0;
async function serve(options: { pair?: Pair; callers?: readonly string[] } = {}): Promise<RpcServer & { lines: unknown[][] }> {
  calls = 0;
  const logger = keepingLogger();
  const server = await servePart({ trackUsers: () => ({ position: String(calls += 1) }) }, {
    tls: { ca: authority.cert, ...(options.pair ?? serverPair) },
    callers: new Map([[ProfileService.typeName, options.callers ?? ["gateway"]]]),
    logger,
  });
  closing.push(() => server.close(100));
  return { ...server, lines: logger.lines };
}

async function track(server: RpcServer, tls: ClientTls | undefined, caller = "nobody"): Promise<unknown> {
  const url = tls ? `https://localhost:${server.port}` : `http://localhost:${server.port}`;
  const { client, close } = callPart([url], { caller, deadlineMs: 3_000, ...(tls && { tls }) });
  closing.push(close);
  return client.trackUsers({}).then(({ position }) => position, (error: { reason?: string }) => error.reason ?? error);
}

describe("a part with certificates", () => {
  test("serves a caller that is vouched for, by the name of its certificate", async () => {
    const server = await serve();
    expect(server.url).toMatch(/^https:/);
    expect(await track(server, { ca: authority.cert, ...gateway })).toBe("1");
  });

  test("knows a caller by a URI name too", async () => {
    expect(await track(await serve({ callers: ["spiffe://heddle/gateway"] }), { ca: authority.cert, ...gateway })).toBe("1");
  });

  test("refuses a certificate of another name, whatever its header says", async () => {
    const content = authority.issue("DNS:content");
    expect(await track(await serve(), { ca: authority.cert, ...content }, "gateway")).toBe("CALLER_NOT_ALLOWED");
    expect(calls).toBe(0);
  });

  test("refuses a name that only its subject has", async () => {
    const unnamed = authority.issue("IP:127.0.0.1");
    expect(await track(await serve(), { ca: authority.cert, ...unnamed }, "gateway")).toBe("CALLER_NOT_ALLOWED");
  });

  for (
    const [name, tls] of [
      ["no certificate", () => ({ ca: authority.cert, cert: "", key: "" })],
      ["a certificate of another authority", () => ({ ca: authority.cert, ...other.issue("DNS:gateway") })],
      ["an expired certificate", () => ({ ca: authority.cert, ...authority.issue("DNS:gateway", { days: -1 }) })],
    ] as const
  ) {
    test(`lets ${name} reach nothing; the caller knows that nothing was done`, async () => {
      const server = await serve();
      expect(await track(server, tls() as ClientTls, "gateway")).toBe("SERVICE_UNAVAILABLE");
      expect(calls).toBe(0);
      expect(server.lines.some(([level, event]) => level === "warn" && event === "rpc_handshake_refused")).toBe(true);
    });
  }

  test("has no plain port: HTTP/2 and HTTP/1.1 in the clear get no answer", async () => {
    const server = await serve();
    expect(await track(server, undefined, "gateway")).toBe("SERVICE_UNAVAILABLE");
    expect(await plainAnswer(server.port)).not.toMatch(/^HTTP/);
    expect(calls).toBe(0);
  });

  test("speaks no TLS below 1.3", async () => {
    const { port } = await serve();
    const socket = connectTls({ host: "localhost", port, ca: authority.cert, ...gateway, maxVersion: "TLSv1.2" });
    await expect(new Promise((resolve, reject) => socket.once("secureConnect", resolve).once("error", reject))).rejects.toThrow(
      /version|alert/i,
    );
  });

  test("serves HTTP/1.1 to the same callers only", async () => {
    const { port } = await serve();
    const socket = connectTls({ host: "localhost", port, ca: authority.cert, ...gateway, ALPNProtocols: ["http/1.1"] });
    socket.write(
      "POST /heddle.profile.v1.ProfileService/TrackUsers HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
    );
    expect(await textOf(socket)).toMatch(/^HTTP\/1.1 200 OK[^]*"position":"1"/);
  });
});

describe("a caller with certificates", () => {
  test("talks to no server of another name", async () => {
    const server = await serve({ pair: authority.issue("DNS:content") });
    expect(await track(server, { ca: authority.cert, ...gateway })).toBe("SERVICE_UNAVAILABLE");
    expect(calls).toBe(0);
  });

  test("takes the name it was told to expect", async () => {
    const server = await serve({ pair: authority.issue("DNS:profile") });
    expect(await track(server, { ca: authority.cert, ...gateway, serverName: "profile" })).toBe("1");
    expect(await track(server, { ca: authority.cert, ...gateway, serverName: "content" })).toBe("SERVICE_UNAVAILABLE");
  });

  for (
    const [name, pair] of [
      ["of another authority", () => other.issue("DNS:localhost")],
      ["that has expired", () => authority.issue("DNS:localhost", { days: -1 })],
    ] as const
  ) {
    test(`sends nothing to a server with a certificate ${name}`, async () => {
      expect(await track(await serve({ pair: pair() }), { ca: authority.cert, ...gateway })).toBe("SERVICE_UNAVAILABLE");
      expect(calls).toBe(0);
    });
  }

  test("does not fall back to plain text", async () => {
    const server = await servePart({ trackUsers: () => ({}) });
    closing.push(() => server.close(100));
    expect(await track(server, { ca: authority.cert, ...gateway }, "gateway")).toBe("SERVICE_UNAVAILABLE");
  });
});

test("a session whose certificate is good stays good for all its calls", async () => {
  const { port } = await serve();
  const session = connectHttp2(`https://localhost:${port}`, { ca: authority.cert, ...gateway });
  closing.push(() => session.destroy());
  for (let at = 0; at < 3; at += 1) {
    const stream = session.request({
      ":method": "POST",
      ":path": "/heddle.profile.v1.ProfileService/TrackUsers",
      "content-type": "application/json",
    });
    stream.end("{}");
    expect(await textOf(stream)).toContain("position");
  }
});

test("a part that ends cuts a connection that is not past its handshake: it would be told nothing and hold up the end", async () => {
  const { port, ...server } = await serve();
  const socket = connectSocket(port, "localhost");
  await new Promise<void>((resolve) => socket.once("connect", resolve));
  // Connections are taken in their order, so the part has that one when this one is answered
  expect(await track({ port, ...server }, { ca: authority.cert, ...gateway })).toBe("1");
  for (const close of closing.splice(1)) await close();
  const closed = server.close(60_000);
  const caller = connectTls({ socket, host: "localhost", ca: authority.cert, ...gateway, ALPNProtocols: ["h2"] });
  await expect(new Promise((resolve, reject) => caller.once("secureConnect", resolve).once("error", reject))).rejects.toBeInstanceOf(Error);
  await closed;
});

async function plainAnswer(port: number): Promise<string> {
  const socket = connectSocket(port, "localhost");
  socket.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  return textOf(socket);
}

async function textOf(stream: NodeJS.ReadableStream): Promise<string> {
  let text = "";
  try {
    for await (const chunk of stream) text += chunk;
  } catch {
    // Cut off: what came so far is the answer
  }
  return text;
}
