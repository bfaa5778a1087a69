/** Traceparents by the table of W3C Trace Context: what is none begins a trace anew. */
import { expect, test } from "vitest";
import { formatTraceparent, parseTraceparent } from "./trace-context.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";
const spanId = "b7ad6b7169203331";

test.each([
  ["sampled", `00-${traceId}-${spanId}-01`, true],
  ["not sampled", `00-${traceId}-${spanId}-00`, false],
  ["other flags too", `00-${traceId}-${spanId}-ff`, true],
  ["a later version with more", `cc-${traceId}-${spanId}-01-what-is-to-come`, true],
])("parseTraceparent() reads one that is %s", (_, text, sampled) => {
  expect(parseTraceparent(text)).toEqual({ traceId, spanId, sampled });
});

test.each([
  ["nothing", undefined],
  ["empty", ""],
  ["a forbidden version", `ff-${traceId}-${spanId}-01`],
  ["version 0 with more", `00-${traceId}-${spanId}-01-more`],
  ["a trace id of zeros", `00-${"0".repeat(32)}-${spanId}-01`],
  ["a span id of zeros", `00-${traceId}-${"0".repeat(16)}-01`],
  ["upper case", `00-${traceId.toUpperCase()}-${spanId}-01`],
  ["too short", `00-${traceId.slice(1)}-${spanId}-01`],
  ["two of them", `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
])("parseTraceparent() takes %s for none", (_, text) => {
  expect(parseTraceparent(text)).toBeUndefined();
});

test("formatTraceparent() writes what parseTraceparent() reads", () => {
  for (const sampled of [true, false]) {
    expect(parseTraceparent(formatTraceparent({ traceId, spanId, sampled }))).toEqual({ traceId, spanId, sampled });
  }
});
