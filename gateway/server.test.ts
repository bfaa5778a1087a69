/** The server against raw sockets: malformed, huge and slow requests, one answer each, draining. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import { create } from "@bufbuild/protobuf";
import { limits } from "../platform/limits.ts";
import { TrackUsersResponseSchema } from "../proto/gen/heddle/profile/v1/profile_service_pb.ts";
import { startStubGateway, type StubGateway, stubKey, type StubOptions } from "../test/gateway-stub.ts";

let started: StubGateway | undefined;
afterEach(async () => {
  await started?.gateway.close();
  started = undefined;
});

const accepted = { trackUsers: async () => create(TrackUsersResponseSchema, { attributesProcessed: 1 }) };

async function start(options: StubOptions = { profile: accepted }): Promise<StubGateway> {
  started = await startStubGateway(options);
  return started;
}

interface RawAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Record<string, unknown>;
}

/** Sends the bytes and reads until the server closes the connection; every answer that came, in order. */
function exchange({ port, clock }: StubGateway, text: string): Promise<RawAnswer[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(Buffer.from(text, "latin1")));
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("utf8");
      // What lingers with an unread body does so until now
      clock.advance(limits.lingerMs);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answersIn(received)));
  });
}

function answersIn(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  let rest = text;
  while (rest !== "") {
    const end = rest.indexOf("\r\n\r\n");
    const head = rest.slice(0, end);
    const status = Number(head.split(" ")[1]);
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
    const body = rest.slice(end + 4, end + 4 + length);
    rest = rest.slice(end + 4 + length);
    answers.push({ status, head, body: body === "" ? {} : JSON.parse(body) });
  }
  return answers;
}

const auth = `Host: a\r\nAuthorization: Bearer ${stubKey}\r\nContent-Type: application/json\r\n`;
const good = `POST /users/track HTTP/1.1\r\n${auth}Content-Length: 2\r\n\r\n{}`;

const malformed: readonly (readonly [title: string, status: number, bytes: string])[] = [
  ["two Host headers", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n"],
  ["no Host header", 400, "GET /livez HTTP/1.1\r\n\r\n"],
  ["an HTTP/0.9 line", 400, "GET /livez\r\n\r\n"],
  ["an HTTP/2.0 line", 400, "GET /livez HTTP/2.0\r\nHost: a\r\n\r\n"],
  ["the HTTP/2 preface", 400, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["an asterisk-form target", 400, "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["CONNECT", 400, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["an unknown method", 400, "BREW /livez HTTP/1.1\r\nHost: a\r\n\r\n"],
  [
    "Content-Length and Transfer-Encoding",
    400,
    `POST /users/track HTTP/1.1\r\n${auth}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ],
  ["two Content-Lengths", 400, `POST /users/track HTTP/1.1\r\n${auth}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`],
  ["a signed Content-Length", 400, `POST /users/track HTTP/1.1\r\n${auth}Content-Length: +2\r\n\r\n{}`],
  ["a hexadecimal Content-Length", 400, `POST /users/track HTTP/1.1\r\n${auth}Content-Length: 0x2\r\n\r\n{}`],
  ["an unknown transfer coding", 400, `POST /users/track HTTP/1.1\r\n${auth}Transfer-Encoding: xchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["a coding before chunked", 400, `POST /users/track HTTP/1.1\r\n${auth}Transfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["chunked on HTTP/1.0", 400, `POST /users/track HTTP/1.0\r\n${auth}Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`],
  ["a bad chunk size", 400, `POST /users/track HTTP/1.1\r\n${auth}Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`],
  ["a bare line feed", 400, "GET /livez HTTP/1.1\nHost: a\n\n"],
  ["a folded header", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n"],
  ["a space before the colon", 400, "GET /livez HTTP/1.1\r\nHost : a\r\n\r\n"],
  ["a NUL in the target", 400, "GET /live\0z HTTP/1.1\r\nHost: a\r\n\r\n"],
  ["a body on GET", 400, "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 39\r\n\r\nGET /readyz HTTP/1.1\r\nHost: a\r\n\r\n      "],
  ["two Authorization headers", 400, `POST /users/track HTTP/1.1\r\n${auth}Authorization: Bearer x\r\nContent-Length: 2\r\n\r\n{}`],
  ["two Content-Types", 400, `POST /users/track HTTP/1.1\r\n${auth}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`],
  ["an unknown expectation", 417, `POST /users/track HTTP/1.1\r\n${auth}Expect: magic\r\nContent-Length: 2\r\n\r\n{}`],
  ["70 KB of headers", 431, `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(70_000)}\r\n\r\n`],
  ["3,000 headers", 431, `GET /livez HTTP/1.1\r\nHost: a\r\n${"a:\r\n".repeat(3_000)}\r\n`],
];

for (const [title, status, bytes] of malformed) {
  test(`openServer() answers ${title} once with ${status} in JSON and closes`, async () => {
    const gateway = await start();
    const [answer, ...more] = await exchange(gateway, bytes);
    expect([answer?.status, more]).toEqual([status, []]);
    expect(answer?.body["message"]).toEqual(expect.any(String));
    expect(answer?.head).toMatch(/^content-type: application\/json$/im);
    expect(answer?.head).toMatch(/^x-request-id: [\w-]{36}$/im);
    expect(answer?.head).toMatch(/^connection: close$/im);
    expect(Date.parse(/^date: (.+)$/im.exec(answer?.head ?? "")?.[1] ?? "")).toBeGreaterThan(0);
  });
}

test("openServer() says what to do about a body on GET", async () => {
  const [answer] = await exchange(await start(), "GET /livez HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}");
  expect(answer?.body["message"]).toBe("A GET request has no body: send it without a body");
});

test("openServer() answers the good request before malformed bytes as its own, then closes", async () => {
  const gateway = await start();
  const answers = await exchange(gateway, `${good}GARBAGE\r\n\r\n`);
  expect(answers.map(({ status }) => status)).toEqual([201]);
});

test("openServer() answers pipelined requests in order", async () => {
  const gateway = await start();
  const last = "GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
  expect((await exchange(gateway, good + good + last)).map(({ status }) => status)).toEqual([201, 201, 404]);
});

test("openServer() answers HTTP/1.0, which proxies speak, and closes", async () => {
  const gateway = await start();
  expect((await exchange(gateway, "GET /livez HTTP/1.0\r\n\r\n")).map(({ status }) => status)).toEqual([200]);
});

test("openServer() refuses a body by its Content-Length before the first byte of it", async () => {
  const gateway = await start();
  const [answer] = await exchange(gateway, `POST /users/track HTTP/1.1\r\n${auth}Content-Length: 104857600\r\n\r\n`);
  expect(answer?.status).toBe(413);
  expect(answer?.body).toEqual({
    message: `The request body may not be larger than ${limits.trackRequestBytesMax} bytes`,
    errors: [`The request body may not be larger than ${limits.trackRequestBytesMax} bytes`],
  });
}, 10_000);

test("openServer() counts a chunked body and refuses it at the limit", async () => {
  const gateway = await start();
  const chunk = `10000\r\n${"a".repeat(65_536)}\r\n`;
  const [answer, ...more] = await exchange(
    gateway,
    `POST /users/alias/new HTTP/1.1\r\n${auth}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(9)}0\r\n\r\n`,
  );
  expect([answer?.status, more.length]).toEqual([413, 0]);
});

test("openServer() asks for the body of Expect: 100-continue only when it wants it", async () => {
  const gateway = await start();
  const head = `${auth}Expect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n`;
  const statuses = (await exchange(gateway, `POST /users/track HTTP/1.1\r\n${head}{}`)).map(({ status }) => status);
  expect(statuses).toEqual([100, 201]);
  const refused = await exchange(gateway, `POST /nowhere HTTP/1.1\r\n${head}`.replace("Content-Length: 2", "Content-Length: 9"));
  expect(refused.map(({ status }) => status)).toEqual([404]);
});

for (
  const [sent, kept] of [["abc-1.Z", true], ["a b", true], ["x".repeat(128), true], ["x".repeat(129), false], ["a\u00e9", false], [
    "a\tb",
    false,
  ]] as const
) {
  test(`openServer() ${kept ? "echoes" : "replaces"} the request id ${JSON.stringify(sent.slice(0, 9))} of ${sent.length}`, async () => {
    const gateway = await start();
    const [answer] = await exchange(gateway, `GET /livez HTTP/1.1\r\nHost: a\r\nConnection: close\r\nX-Request-Id: ${sent}\r\n\r\n`);
    const id = /^x-request-id: (.*)$/im.exec(answer?.head ?? "")?.[1];
    if (kept) expect(id).toBe(sent);
    else expect(id).toMatch(/^[0-9a-f-]{36}$/);
  });
}

test("close() finishes what is in flight with Connection: close and takes nothing new", async () => {
  let release: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => (release = resolve));
  let called: (() => void) | undefined;
  const arrived = new Promise<void>((resolve) => (called = resolve));
  const gateway = await start({
    profile: {
      trackUsers: async () => {
        called?.();
        await waiting;
        return create(TrackUsersResponseSchema, { attributesProcessed: 1 });
      },
    },
  });
  const answers = exchange(gateway, good);
  await arrived;
  const closed = gateway.gateway.close();
  release?.();
  const [answer] = await answers;
  expect(answer?.status).toBe(201);
  expect(answer?.head).toMatch(/^connection: close$/im);
  await closed;
  await expect(exchange(gateway, good)).rejects.toThrow(/ECONNREFUSED/);
});

test("close() goes on for a while where it is told to: the newest answer of each connection ends it, new ones are taken", async () => {
  const gateway = await start({ profile: accepted, config: { leaveMs: 60_000 } });
  const probe = "GET /readyz/gateway HTTP/1.1\r\nHost: a\r\n\r\n";
  expect((await exchange(gateway, probe.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")))[0]?.status).toBe(200);
  const idle = await opened(gateway);
  let ended = false;
  const closed = gateway.gateway.close().then(() => (ended = true));
  const pipelined = await exchange(gateway, good + good + good);
  expect(pipelined.map(({ status }) => status)).toEqual([201, 201, 201]);
  expect(pipelined.map(({ head }) => /^connection: close$/im.test(head))).toEqual([false, false, true]);
  expect((await exchange(gateway, probe))[0]).toMatchObject({ status: 503, body: { message: "This gateway is about to end" } });
  idle.write(good);
  const [chunk] = (await once(idle, "data")) as [Buffer];
  expect(chunk.toString()).toMatch(/^HTTP\/1.1 201[^]*^connection: close$/im);
  gateway.clock.advance(50_000);
  expect((await exchange(gateway, good))[0]?.status).toBe(201);
  expect(ended).toBe(false);
  gateway.clock.advance(60_000);
  await closed;
  await expect(exchange(gateway, good)).rejects.toThrow(/ECONNREFUSED/);
});

function opened({ port }: StubGateway): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(socket));
  });
}

test("close() cuts what is left when the deadline has passed", async () => {
  let called: (() => void) | undefined;
  const arrived = new Promise<void>((resolve) => (called = resolve));
  const gateway = await start({ profile: { trackUsers: () => (called?.(), new Promise(() => {})) } });
  const answers = exchange(gateway, good).catch(() => []);
  await arrived;
  const closed = gateway.gateway.close();
  gateway.clock.advance(limits.drainMsMax);
  await closed;
  expect(await answers).toEqual([]);
});

test("openServer() answers a request that nobody answers in time", async () => {
  let called: (() => void) | undefined;
  const arrived = new Promise<void>((resolve) => (called = resolve));
  let release: (() => void) | undefined;
  const late = new Promise<void>((resolve) => (release = resolve));
  const gateway = await start({
    profile: { trackUsers: async () => (called?.(), await late, create(TrackUsersResponseSchema, {})) },
  });
  const answers = exchange(gateway, good.replace("Host: a", "Host: a\r\nConnection: close"));
  await arrived;
  gateway.clock.advance(limits.answerMsMax + 2 * limits.overdueCheckMs);
  release?.();
  const [answer, ...more] = await answers;
  expect([answer?.status, more]).toEqual([503, []]);
  expect(answer?.head).toMatch(/^retry-after: 1$/im);
  expect(gateway.logged).toEqual([]);
});

test("openServer() answers 500 where a service gives out a text that cannot stand in a header", async () => {
  const gateway = await start({ profile: { trackUsers: async () => create(TrackUsersResponseSchema, { position: "a\r\nX-Evil: 1" }) } });
  const [answer, ...more] = await exchange(gateway, good.replace("Host: a", "Host: a\r\nConnection: close"));
  expect([answer?.status, more, gateway.logged.length]).toEqual([500, [], 1]);
  expect(answer?.head).not.toContain("Evil");
});

test("openServer() forgets a client that hangs up in the middle of its body", async () => {
  const gateway = await start();
  const socket = await new Promise<Socket>((resolve) => {
    const opened = connect(gateway.port, "127.0.0.1", () => resolve(opened));
  });
  socket.write(`POST /users/track HTTP/1.1\r\n${auth}Content-Length: 100\r\n\r\n{`);
  socket.destroy();
  await gateway.gateway.close();
  expect(gateway.logged).toEqual([]);
});

test("openServer() refuses with 503 what is more than the process takes, and still answers probes", async () => {
  let release: (() => void) | undefined;
  const waiting = new Promise<void>((resolve) => (release = resolve));
  let calls = 0;
  let filled: (() => void) | undefined;
  const full = new Promise<void>((resolve) => (filled = resolve));
  const gateway = await start({
    profile: {
      trackUsers: async () => {
        calls += 1;
        if (calls === limits.requestsInFlightMax) filled?.();
        await waiting;
        return create(TrackUsersResponseSchema, {});
      },
    },
  });
  const last = good.replace("Host: a", "Host: a\r\nConnection: close");
  const pipelined = exchange(gateway, good.repeat(limits.requestsInFlightMax) + last);
  await full;
  expect((await gateway.get("/livez")).status).toBe(200);
  expect((await gateway.get("/unsubscribe/a-token")).headers.get("x-heddle-reason")).toBe("OVERLOADED");
  release?.();
  const answers = await pipelined;
  const refused = answers.filter(({ status }) => status !== 201);
  expect([answers.length, refused.length, refused[0]?.status]).toEqual([limits.requestsInFlightMax + 1, 1, 503]);
  expect(refused[0]?.head).toMatch(/^retry-after: 1$/im);
});

test("openServer() holds so much of large bodies and no more, however slowly they come, and takes small ones meanwhile", async () => {
  const gateway = await start();
  const slow: Socket[] = [];
  const answers: string[] = [];
  const head = `POST /users/track HTTP/1.1\r\n${auth}Transfer-Encoding: chunked\r\n\r\n`;
  const piece = `800000\r\n${" ".repeat(8 * 1024 * 1024)}\r\n`;
  const most = limits.largeBodyBytesInFlightMax / (8 * 1024 * 1024);
  for (let at = 0; at < most + 2; at += 1) {
    const socket = connect(gateway.port, "127.0.0.1", () => socket.write(head + piece));
    socket.on("error", () => {});
    socket.on("data", (chunk) => {
      answers.push(chunk.toString("latin1").slice(0, 12));
      gateway.clock.advance(limits.lingerMs);
    });
    slow.push(socket);
  }
  await expect.poll(() => answers.filter((text) => text === "HTTP/1.1 503").length).toBeGreaterThan(0);
  const last = `${good}GET /nowhere HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`;
  expect((await exchange(gateway, last)).map(({ status }) => status)).toEqual([201, 404]);
  const announced = `POST /users/track HTTP/1.1\r\n${auth}Content-Length: 12000000\r\n\r\n`;
  expect((await exchange(gateway, announced)).map(({ status }) => status)).toEqual([503]);
  for (const socket of slow) socket.destroy();
  await expect.poll(async () => {
    const large = `POST /users/track HTTP/1.1\r\n${auth}Connection: close\r\nContent-Length: 8000000\r\n\r\n${" ".repeat(8_000_000)}`;
    return (await exchange(gateway, large)).map(({ status }) => status);
  }).toEqual([201]);
}, 60_000);
