/** Spans: whose child each is, which traces are recorded, and what OTLP says of them. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { exportRequest } from "./otlp-exporter.ts";
import { createSampler, type SamplerName } from "./sampler.ts";
import { parseTraceparent } from "./trace-context.ts";
import { type EndedSpan, openTracer, traced } from "./tracer.ts";

const callerSampled = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const callerNot = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00";

function tracerOf(sampler: SamplerName = "parentbased_always_on", ratio = 1) {
  const clock = fakeClock();
  const ended: EndedSpan[] = [];
  return { clock, ended, tracer: openTracer({ clock, take: (span) => ended.push(span), sample: createSampler(sampler, ratio) }) };
}

test("a request continues its caller's trace, and what it does is its child", async () => {
  const { clock, ended, tracer } = tracerOf();
  const request = tracer.begin("POST /users/track", callerSampled, { kind: "server" });
  clock.advance(5);
  await traced(tracer, { name: "intake append", traceparent: request?.traceparent }, async (traceparent) => {
    expect(parseTraceparent(traceparent)?.traceId).toBe("0af7651916cd43dd8448eb211c80319c");
    clock.advance(7);
  });
  request?.end({ attributes: { status: 201 } });
  request?.end({ failed: true });
  const [append, server] = ended;
  expect(ended).toHaveLength(2);
  expect(server).toMatchObject({ traceId: "0af7651916cd43dd8448eb211c80319c", parentSpanId: "b7ad6b7169203331", failed: false });
  expect(append).toMatchObject({ traceId: server?.traceId, parentSpanId: server?.spanId, name: "intake append" });
  expect((append?.endMs ?? 0) - (append?.startMs ?? 0)).toBe(7);
  expect((append?.startMs ?? 0) - (server?.startMs ?? 0)).toBe(5);
});

test("a span whose work throws is failed, and the error goes on", async () => {
  const { ended, tracer } = tracerOf();
  await expect(traced(tracer, { name: "x", traceparent: callerSampled }, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(ended).toMatchObject([{ name: "x", failed: true }]);
});

test("a child of nothing, or of what is not sampled, is not recorded", () => {
  const { tracer } = tracerOf("always_on");
  expect(tracer.child("x", undefined)).toBeUndefined();
  expect(tracer.child("x", "")).toBeUndefined();
  expect(tracer.child("x", callerNot)).toBeUndefined();
});

test.each<[SamplerName, string | undefined, boolean]>([
  ["always_on", callerNot, true],
  ["always_off", callerSampled, false],
  ["parentbased_always_on", undefined, true],
  ["parentbased_always_on", callerNot, false],
  ["parentbased_always_off", undefined, false],
  ["parentbased_always_off", callerSampled, true],
  ["parentbased_traceidratio", callerSampled, true],
])("sampler %s, caller %s: %s", (name, caller, recorded) => {
  expect(tracerOf(name, 0).tracer.begin("x", caller) !== undefined).toBe(recorded);
});

test("sampler traceidratio records its share, and the same traces everywhere", () => {
  const { tracer } = tracerOf("traceidratio", 0.25);
  const kept = Array.from({ length: 4_000 }, () => tracer.begin("x", undefined)).filter((span) => span !== undefined);
  expect(kept.length).toBeGreaterThan(800);
  expect(kept.length).toBeLessThan(1_200);
  for (const { traceparent } of kept.slice(0, 50)) expect(tracer.begin("x", traceparent)).toBeDefined();
});

test("exportRequest() is OTLP: ids in hex, whole nanoseconds as text", () => {
  const span: EndedSpan = {
    traceId: "0af7651916cd43dd8448eb211c80319c",
    spanId: "b7ad6b7169203331",
    parentSpanId: "",
    name: "apply",
    kind: "consumer",
    startMs: 1_795_305_712_000.25,
    endMs: 1_795_305_712_001,
    attributes: { "heddle.lane": "intake-0", n: 3, half: 0.5, yes: true },
    failed: true,
  };
  expect(JSON.parse(exportRequest([span], { "service.name": "heddle" }))).toEqual({
    resourceSpans: [{
      resource: { attributes: [{ key: "service.name", value: { stringValue: "heddle" } }] },
      scopeSpans: [{
        scope: { name: "heddle" },
        spans: [{
          traceId: "0af7651916cd43dd8448eb211c80319c",
          spanId: "b7ad6b7169203331",
          name: "apply",
          kind: 5,
          startTimeUnixNano: "1795305712000250000",
          endTimeUnixNano: "1795305712001000000",
          attributes: [
            { key: "heddle.lane", value: { stringValue: "intake-0" } },
            { key: "n", value: { intValue: "3" } },
            { key: "half", value: { doubleValue: 0.5 } },
            { key: "yes", value: { boolValue: true } },
          ],
          status: { code: 2 },
        }],
      }],
    }],
  });
});
