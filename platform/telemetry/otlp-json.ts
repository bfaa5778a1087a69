/** Spans as OTLP says them in JSON (opentelemetry-proto, ExportTraceServiceRequest): ids in hex, 64-bit numbers as text. */
import type { Attributes, EndedSpan, SpanKind } from "./tracer.ts";

export function exportRequest(spans: readonly EndedSpan[], resource: Attributes): string {
  return JSON.stringify({
    resourceSpans: [{
      resource: { attributes: attributesOf(resource) },
      scopeSpans: [{ scope: { name: "heddle" }, spans: spans.map(spanOf) }],
    }],
  });
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, failed }: EndedSpan): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== "" && { parentSpanId }),
    name,
    kind: kindNumbers[kind],
    startTimeUnixNano: nanosOf(startMs),
    endTimeUnixNano: nanosOf(endMs),
    attributes: attributesOf(attributes),
    // 2: an error; left out: unset
    ...(failed && { status: { code: 2 } }),
  };
}

const kindNumbers: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 };

/** Milliseconds with their parts as whole nanoseconds, which no double can hold. */
function nanosOf(ms: number): string {
  const whole = Math.floor(ms);
  return `${BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6))}`;
}

function attributesOf(attributes: Attributes): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));
}

function valueOf(value: string | number | boolean): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
