/** Records that are applied together: a span for each request that is recorded, and one below it for each write. */
import { expect, test } from "vitest";
import { fakeClock } from "../clock.fixture.ts";
import { createSampler } from "./sampler.ts";
import { tracedRecords } from "./traced-records.ts";
import { type EndedSpan, openTracer } from "./tracer.ts";

const one = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const other = "00-1af7651916cd43dd8448eb211c80319c-c7ad6b7169203331-01";
const notSampled = "00-2af7651916cd43dd8448eb211c80319c-d7ad6b7169203331-00";

function openTest() {
  const ended: EndedSpan[] = [];
  const tracer = openTracer({ clock: fakeClock(), take: (span) => ended.push(span), sample: createSampler("always_on", 1) });
  return { ended, traced: { tracer, lane: "subscription-3" } };
}

test("each request gets one span, however many records it has, and one below it for each write", async () => {
  const { ended, traced } = openTest();
  const records = [{ traceparent: one }, {}, { traceparent: other }, { traceparent: one }, { traceparent: notSampled }];
  const result = await tracedRecords(traced, records, async (writing) => {
    expect(await writing(() => Promise.resolve("first"))).toBe("first");
    return await writing(() => Promise.resolve("second"));
  });
  expect(result).toBe("second");
  for (const [traceId, parentSpanId] of [one, other].map((text) => text.split("-").slice(1, 3))) {
    const own = ended.filter((span) => span.traceId === traceId);
    expect(own.map(({ name }) => name)).toEqual(["store commit", "store commit", "apply"]);
    const apply = own.at(-1);
    expect(apply).toMatchObject({ parentSpanId, kind: "consumer", attributes: { "heddle.lane": "subscription-3" }, failed: false });
    expect(own.slice(0, 2).map((span) => span.parentSpanId)).toEqual([apply?.spanId, apply?.spanId]);
  }
  expect(ended).toHaveLength(6);
});

test("what fails is shown as failed, and the error goes on", async () => {
  const { ended, traced } = openTest();
  const work = tracedRecords(traced, [{ traceparent: one }], (writing) => writing(() => Promise.reject(new Error("away"))));
  await expect(work).rejects.toThrow("away");
  expect(ended.map(({ name, failed }) => [name, failed])).toEqual([["store commit", true], ["apply", true]]);
});

test("where nothing is recorded, the work is done all the same", async () => {
  const { ended, traced } = openTest();
  expect(await tracedRecords(traced, [{}, { traceparent: notSampled }], (writing) => writing(() => Promise.resolve(1)))).toBe(1);
  expect(await tracedRecords({ lane: "subscription" }, [{ traceparent: one }], (writing) => writing(() => Promise.resolve(2)))).toBe(2);
  expect(ended).toEqual([]);
});
