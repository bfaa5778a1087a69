/** Spans: who does what for how long in which trace. Off unless there is a collector, and then nothing is made. */
import { Buffer } from "node:buffer";
import { randomFillSync } from "node:crypto";
import type { Clock } from "../clock.ts";
import { formatTraceparent, parseTraceparent, type TraceContext } from "./trace-context.ts";

/** `server`: answers a call; `producer` and `consumer`: the two sides of a log, with any time between them. */
export type SpanKind = "internal" | "server" | "client" | "producer" | "consumer";

/** Never personal data: names of routes and methods, ids, counts. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A span that is over. */
export interface EndedSpan extends Pick<TraceContext, "traceId" | "spanId"> {
  readonly parentSpanId: string;
  readonly name: string;
  readonly kind: SpanKind;
  /** Unix milliseconds, with parts of them. */
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Attributes;
  readonly failed: boolean;
}

export interface Span {
  readonly traceId: string;
  /** What a child gets as its parent. */
  readonly traceparent: string;
  /** The first call counts. */
  end(outcome?: { readonly attributes?: Attributes; readonly failed?: boolean }): void;
}

export interface SpanStart {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  /** It began so many milliseconds before it was known that it is recorded. */
  readonly agoMs?: number;
}

export interface Tracer {
  /** False: nothing is ever recorded. */
  readonly on: boolean;
  /** At the edge: continues the caller's trace or begins one; undefined where it is not recorded. */
  begin(name: string, traceparent: string | undefined, start?: SpanStart): Span | undefined;
  /** Inside: a child of `traceparent`; undefined without one, or where it is not sampled. */
  child(name: string, traceparent: string | undefined, start?: SpanStart): Span | undefined;
}

export const noTracer: Tracer = { on: false, begin: () => undefined, child: () => undefined };

export interface TracerOptions {
  readonly clock: Clock;
  /** Takes each span when it is over; must not throw. */
  readonly take: (span: EndedSpan) => void;
  /** Whether a trace that begins here is recorded, and one whose caller does not record it. */
  readonly sample: (traceId: string, parent: TraceContext | undefined) => boolean;
}

export function openTracer(options: TracerOptions): Tracer {
  return {
    on: true,
    begin(name, traceparent, start) {
      const parent = parseTraceparent(traceparent);
      const traceId = parent?.traceId ?? newTraceId();
      if (!options.sample(traceId, parent)) return undefined;
      return new RunningSpan(options, { name, traceId, parentSpanId: parent?.spanId ?? "" }, start);
    },
    child(name, traceparent, start) {
      const parent = traceparent === undefined || traceparent === "" ? undefined : parseTraceparent(traceparent);
      if (!parent?.sampled) return undefined;
      return new RunningSpan(options, { name, traceId: parent.traceId, parentSpanId: parent.spanId }, start);
    },
  };
}

interface Identity {
  readonly name: string;
  readonly traceId: string;
  readonly parentSpanId: string;
}

class RunningSpan implements Span {
  readonly traceId: string;
  readonly #options: TracerOptions;
  readonly #identity: Identity;
  readonly #start: SpanStart;
  readonly #spanId = newSpanId();
  readonly #startMs: number;
  readonly #began: number;
  #over = false;

  constructor(options: TracerOptions, identity: Identity, start: SpanStart = {}) {
    this.traceId = identity.traceId;
    this.#options = options;
    this.#identity = identity;
    this.#start = start;
    const { agoMs = 0 } = start;
    this.#startMs = options.clock.now() - agoMs;
    this.#began = options.clock.monotonic() - agoMs;
  }

  get traceparent(): string {
    return formatTraceparent({ traceId: this.traceId, spanId: this.#spanId, sampled: true });
  }

  end(outcome: { readonly attributes?: Attributes; readonly failed?: boolean } = {}): void {
    if (this.#over) return;
    this.#over = true;
    const { clock, take } = this.#options;
    take({
      ...this.#identity,
      spanId: this.#spanId,
      kind: this.#start.kind ?? "internal",
      startMs: this.#startMs,
      endMs: this.#startMs + Math.max(0, clock.monotonic() - this.#began),
      attributes: { ...this.#start.attributes, ...outcome.attributes },
      failed: outcome.failed ?? false,
    });
  }
}

/** A child span around `work`, which gets its traceparent; ends it as failed where the work throws. */
export async function traced<T>(
  tracer: Tracer,
  span: { readonly name: string; readonly traceparent: string | undefined } & SpanStart,
  work: (traceparent: string | undefined) => Promise<T>,
): Promise<T> {
  const own = tracer.child(span.name, span.traceparent, span);
  if (own === undefined) return await work(span.traceparent);
  try {
    const result = await work(own.traceparent);
    own.end();
    return result;
  } catch (error) {
    own.end({ failed: true });
    throw error;
  }
}

const traceIdBytes = 16;
const spanIdBytes = 8;
/** Drawn at once: asking for few random bytes costs as much as asking for many. */
const pool = Buffer.alloc(2_048);
let used = pool.length;

function newTraceId(): string {
  return draw(traceIdBytes);
}

function newSpanId(): string {
  return draw(spanIdBytes);
}

function draw(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.toString("hex", used, used + bytes);
  used += bytes;
  return /^0+$/.test(id) ? draw(bytes) : id;
}
