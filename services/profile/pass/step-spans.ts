/** The spans of a step of the pass: one for each request that is recorded, and one for writing it. */
import type { Clock } from "../../../platform/clock.ts";
import { noTracer, type Span, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { PlannedStep, RecordTrace } from "./plan-step.ts";

/** Resolving and applying, which began before the records were read, and writing, which begins now: the inner ones first. */
export function beginSpans(
  { tracer = noTracer, clock, partition }: { readonly tracer?: Tracer; readonly clock: Clock; readonly partition: number },
  traces: readonly RecordTrace[],
  began: number,
): StepSpans {
  const consentTraces = new Map<number, string>();
  if (!tracer.on || traces.length === 0) return { spans: [], consentTraces };
  const attributes = { "heddle.lane": `intake-${partition}` };
  const agoMs = clock.monotonic() - began;
  const applying = traces.flatMap(({ sequence, traceparent }) => {
    const span = tracer.child("apply", traceparent, { kind: "consumer", attributes, agoMs });
    if (span !== undefined) consentTraces.set(sequence, span.traceparent);
    return span ?? [];
  });
  const writing = applying.flatMap(({ traceparent }) => tracer.child("store commit", traceparent) ?? []);
  return { spans: [...writing, ...applying], consentTraces };
}

export interface StepSpans {
  readonly spans: readonly Span[];
  /** By place of the request in the log: what the consent that it causes is a child of. */
  readonly consentTraces: ReadonlyMap<number, string>;
}

export function withConsentTraces(planned: PlannedStep, traces: StepSpans["consentTraces"]): PlannedStep {
  if (traces.size === 0) return planned;
  const workspaces = planned.step.workspaces.map((workspace) => ({
    ...workspace,
    consent: workspace.consent.map((record) => {
      const traceparent = traces.get(record.sequence);
      return traceparent === undefined ? record : { ...record, traceparent };
    }),
  }));
  return { ...planned, step: { ...planned.step, workspaces } };
}
