/** The spans of a step: one for each of its requests that is recorded, and what is sent on names it as its parent. */
import { noTracer, type Span, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { Resolved } from "./resolve-records.ts";

/** By place of the request in the log; `agoMs`: how long ago they began. */
export function beginSpans(
  { tracer = noTracer, partition }: { readonly tracer?: Tracer; readonly partition: number },
  name: "resolve" | "apply",
  { traces, agoMs }: Pick<Resolved, "traces"> & { readonly agoMs: number },
): Map<number, Span> {
  const attributes = { "heddle.lane": `intake-${partition}` };
  const spans = new Map<number, Span>();
  if (!tracer.on) return spans;
  for (const { sequence, traceparent } of traces) {
    const span = tracer.child(name, traceparent, { kind: "consumer", attributes, agoMs });
    if (span !== undefined) spans.set(sequence, span);
  }
  return spans;
}

/** The records as they are sent on, children of the span where there is one. */
export function traced<Record extends object>(records: readonly Record[], span: Span | undefined): readonly Record[] {
  return span === undefined ? records : records.map((record) => ({ ...record, traceparent: span.traceparent }));
}
