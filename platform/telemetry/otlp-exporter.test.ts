/** The exporter against a collector: batches, what is dropped when it is away, and the end. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { type Clock, systemClock } from "../clock.ts";
import { fakeClock } from "../clock.fixture.ts";
import { limits } from "../limits.ts";
import { silentLogger } from "../logger.ts";
import { keepingLogger } from "../rpc/part.fixture.ts";
import { OtlpExporter } from "./otlp-exporter.ts";
import type { EndedSpan } from "./tracer.ts";

const ends: (() => void)[] = [];
afterEach(() => ends.splice(0).forEach((end) => end()));

async function collector(status = 200): Promise<{ url: string; spans: () => string[] }> {
  const names: string[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += String(chunk)));
    request.on("end", () => {
      if (status === 200) names.push(...[...body.matchAll(/"name":"(span \d+)"/g)].map(([, name = ""]) => name));
      response.writeHead(status).end("{}");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => server.close(), () => server.closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`, spans: () => names };
}

function exporterTo(url: string, clock: Clock = systemClock) {
  const dropped = new Map<string, number>();
  const exporter = new OtlpExporter({
    url,
    headers: [],
    resource: { "service.name": "test" },
    clock,
    logger: silentLogger,
    dropped: (reason, spans) => dropped.set(reason, (dropped.get(reason) ?? 0) + spans),
  });
  return { exporter, dropped };
}

function span(n: number): EndedSpan {
  const ids = { traceId: "1".repeat(32), spanId: "2".repeat(16), parentSpanId: "" };
  return { ...ids, name: `span ${n}`, kind: "internal", startMs: 0, endMs: 1, attributes: {}, failed: false };
}

test("every span arrives once, in order, those that wait at the end too, and one that comes later is counted", async () => {
  const { url, spans } = await collector();
  const { exporter, dropped } = exporterTo(url);
  const count = limits.traceSpansPerBatchMax * 2 + 7;
  for (let n = 0; n < count; n += 1) exporter.take(span(n));
  await exporter.close();
  exporter.take(span(count));
  expect(spans()).toEqual(Array.from({ length: count }, (_, n) => `span ${n}`));
  expect([...dropped]).toEqual([["queue_full", 1]]);
});

test("a collector that refuses costs its spans and nothing else; at the end those that wait too, all counted", async () => {
  const { url } = await collector(503);
  const { exporter, dropped } = exporterTo(url);
  const count = limits.traceSpansPerBatchMax * 2 + 1;
  for (let n = 0; n < count; n += 1) exporter.take(span(n));
  await exporter.close();
  expect([...dropped]).toEqual([["send_failed", count]]);
});

for (
  const [what, of] of [
    ["the address", { url: "http://user:s3cret@127.0.0.1:4318/v1/traces", headers: [] }],
    ["a header", { url: "http://127.0.0.1:4318/v1/traces", headers: [["authorization", "Bearer s3cret\nof-ours"]] }],
  ] as const
) {
  test(`a secret in ${what} that cannot be sent does not get into the log`, async () => {
    const logger = keepingLogger();
    const resource = { "service.name": "test" };
    const exporter = new OtlpExporter({ ...of, resource, clock: systemClock, logger, dropped: () => {} });
    exporter.take(span(1));
    await exporter.close();
    expect(JSON.stringify(logger.lines)).toMatch(/^\[\["warn","traces_not_sent",(?!.*s3cret)/);
  });
}

test("beyond the queue spans are dropped and counted", async () => {
  const { url } = await collector();
  const { exporter, dropped } = exporterTo(url);
  const count = limits.traceSpansWaitingMax + limits.traceSpansPerBatchMax + 10;
  for (let n = 0; n < count; n += 1) exporter.take(span(n));
  await exporter.close();
  expect([...dropped]).toEqual([["queue_full", 10]]);
});

test("spans that come while others are sent do not end the sending", async () => {
  const clock = fakeClock();
  const { exporter } = exporterTo("http://collector", clock);
  const sent: string[] = [];
  vi.stubGlobal("fetch", async (_url: string, { body }: { readonly body: string }) => {
    sent.push(...[...body.matchAll(/span \d/g)].map(String));
    if (sent.length === 1) exporter.take(span(2));
    return new Response("{}");
  });
  ends.push(() => vi.unstubAllGlobals());
  exporter.take(span(1));
  clock.advance(limits.traceFlushMs);
  while (sent.length < 2) await setImmediate();
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  // Nothing waits any more
  clock.advance(limits.traceFlushMs);
  exporter.take(span(3));
  await exporter.close();
  expect(sent).toEqual(["span 1", "span 2", "span 3"]);
});
