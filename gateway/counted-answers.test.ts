/** What the metrics say of answers that no route gave, and of requests that are not answered yet. */
import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, expect, test } from "vitest";
import { limits } from "../platform/limits.ts";
import { openMetrics, type ShownMetrics } from "../platform/telemetry/metrics.ts";
import { noTelemetry } from "../platform/telemetry/telemetry.ts";
import { startStubGateway, type StubGateway, stubKey, type StubOptions } from "../test/gateway-stub.ts";

interface Measured extends StubGateway {
  readonly metrics: ShownMetrics;
}

let started: StubGateway | undefined;
afterEach(async () => {
  await started?.gateway.close();
});

async function start(options: StubOptions): Promise<Measured> {
  const metrics = await openMetrics();
  started = await startStubGateway({ ...options, telemetry: { ...noTelemetry, metrics } });
  return { ...started, metrics };
}

/** Resolves when the connection is closed. */
async function send({ port, clock }: StubGateway, bytes: string): Promise<void> {
  const socket = connect(port, "127.0.0.1", () => socket.write(bytes));
  socket.on("data", () => clock.advance(limits.lingerMs));
  await once(socket, "close");
}

/** By status, of no route. */
async function answered({ metrics }: Measured): Promise<Record<string, number>> {
  const lines = (await metrics.text()).matchAll(/^heddle_http_requests_total\{route="none",method="any",status="(\d+)"\} (\d+)$/gm);
  return Object.fromEntries(Array.from(lines, ([, status = "", count]) => [status, Number(count)]));
}

async function inFlight({ metrics }: Measured): Promise<number> {
  return Number(/^heddle_http_requests_in_flight (\d+)$/m.exec(await metrics.text())?.[1]);
}

const write = `POST /users/track HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${stubKey}\r\nContent-Type: application/json\r\n`;

test("answers to what is no request, and to a preflight, are counted", async () => {
  const gateway = await start({ access: { allowsOrigin: () => true } });
  const preflight = "Origin: https://a.example\r\nAccess-Control-Request-Method: POST\r\nConnection: close\r\n\r\n";
  await send(gateway, `OPTIONS /users/track HTTP/1.1\r\nHost: a\r\n${preflight}`);
  await send(gateway, "GET /livez HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n");
  await send(gateway, "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n");
  await send(gateway, "BREW /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  await send(gateway, `${write}Expect: magic\r\nContent-Length: 2\r\n\r\n{}`);
  await send(gateway, `GET /livez HTTP/1.1\r\nHost: a\r\nX: ${"a".repeat(70_000)}\r\n\r\n`);
  expect(await answered(gateway)).toEqual({ 204: 1, 400: 3, 417: 1, 431: 1 });
});

test("a request that nobody answers in time is counted, and no longer in flight", async () => {
  const called = Promise.withResolvers<void>();
  const gateway = await start({ profile: { trackUsers: () => (called.resolve(), new Promise(() => {})) } });
  const sent = send(gateway, `${write}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
  await called.promise;
  expect(await inFlight(gateway)).toBe(1);
  gateway.clock.advance(limits.answerMsMax + 2 * limits.overdueCheckMs);
  await sent;
  expect([await inFlight(gateway), await answered(gateway)]).toEqual([0, { 503: 1 }]);
});

test("a client that hangs up is not answered, and no longer in flight", async () => {
  const called = Promise.withResolvers<void>();
  const gateway = await start({ profile: { trackUsers: () => (called.resolve(), new Promise(() => {})) } });
  const socket = connect(gateway.port, "127.0.0.1", () => socket.write(`${write}Content-Length: 2\r\n\r\n{}`));
  await called.promise;
  expect(await inFlight(gateway)).toBe(1);
  socket.destroy();
  await expect.poll(() => inFlight(gateway)).toBe(0);
  expect(await answered(gateway)).toEqual({});
});
