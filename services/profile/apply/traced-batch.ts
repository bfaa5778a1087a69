/** The spans of a batch of lane items: one for each request that is recorded, and below it the writing of rows. */
import { noTracer, type Span, type Tracer } from "../../../platform/telemetry/tracer.ts";
import type { Addressed } from "../domain/lane-item.ts";
import type { ProfileStore, ProfileWriter } from "../domain/ports.ts";

type Profiles = ProfileStore & ProfileWriter;

export interface TracedParts {
  readonly tracer?: Tracer;
  readonly lane: number;
  readonly profiles: Profiles;
}

/** `work` gets the profiles to write with. Costs nothing where no item is recorded. */
export async function tracedBatch<T>(
  parts: TracedParts,
  items: readonly Addressed[],
  work: (profiles: Profiles) => Promise<T>,
): Promise<T> {
  const { tracer = noTracer, lane, profiles } = parts;
  const spans = tracer.on ? beginAll(tracer, tracesOf(items), lane) : [];
  if (spans.length === 0) return await work(profiles);
  try {
    return await work({ ...profiles, save: (changes) => saved(tracer, spans, () => profiles.save(changes)) });
  } finally {
    for (const span of spans) span.end();
  }
}

async function saved<T>(tracer: Tracer, parents: readonly Span[], save: () => Promise<T>): Promise<T> {
  const spans = parents.flatMap(({ traceparent }) => tracer.child("store commit", traceparent) ?? []);
  try {
    return await save();
  } finally {
    for (const span of spans) span.end();
  }
}

/** One a request, however many of its records are in the batch. */
function tracesOf(items: readonly Addressed[]): ReadonlySet<string> {
  const traces = new Set<string>();
  for (const { traceparent } of items) if (traceparent !== undefined) traces.add(traceparent);
  return traces;
}

function beginAll(tracer: Tracer, traces: ReadonlySet<string>, lane: number): Span[] {
  const attributes = { "heddle.lane": `profile-${lane}` };
  return [...traces].flatMap((traceparent) => tracer.child("apply", traceparent, { kind: "consumer", attributes }) ?? []);
}
