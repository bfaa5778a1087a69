/** The spans of records that are applied together: one for each request that is recorded, and below it the writing of rows. */
import { noTracer, type Span, type Tracer } from "./tracer.ts";

/** Who applies: `lane` names what was read, as in `profile-3`. */
export interface TracedLane {
  readonly tracer?: Tracer;
  readonly lane: string;
}

/** A record as far as it is traced. */
export interface TracedRecord {
  /** Of the span that sent it; absent where its request is not recorded. */
  readonly traceparent?: string;
}

/** Writes what the records cause; may be called several times. */
export type Writing = <T>(write: () => Promise<T>) => Promise<T>;

/** `work` writes through the `Writing` it gets. Costs nothing where no record is traced. */
export async function tracedRecords<T>(
  { tracer = noTracer, lane }: TracedLane,
  records: readonly TracedRecord[],
  work: (writing: Writing) => Promise<T>,
): Promise<T> {
  const spans = tracer.on ? beginAll(tracer, tracesOf(records), lane) : [];
  if (spans.length === 0) return await work((write) => write());
  return await ended(spans, () => work((write) => written(tracer, spans, write)));
}

async function written<T>(tracer: Tracer, parents: readonly Span[], write: () => Promise<T>): Promise<T> {
  return await ended(parents.flatMap(({ traceparent }) => tracer.child("store commit", traceparent) ?? []), write);
}

async function ended<T>(spans: readonly Span[], work: () => Promise<T>): Promise<T> {
  let failed = true;
  try {
    const result = await work();
    failed = false;
    return result;
  } finally {
    for (const span of spans) span.end({ failed });
  }
}

/** One a request, however many of its records there are. */
function tracesOf(records: readonly TracedRecord[]): ReadonlySet<string> {
  const traces = new Set<string>();
  for (const { traceparent } of records) if (traceparent !== undefined) traces.add(traceparent);
  return traces;
}

function beginAll(tracer: Tracer, traces: ReadonlySet<string>, lane: string): Span[] {
  const attributes = { "heddle.lane": lane };
  return [...traces].flatMap((traceparent) => tracer.child("apply", traceparent, { kind: "consumer", attributes }) ?? []);
}
