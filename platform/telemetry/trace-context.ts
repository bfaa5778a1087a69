/** Trace context as it travels: the header `traceparent` (W3C Trace Context, level 1), read strictly and written anew. */

export interface TraceContext {
  /** 32 hex digits, not all 0. */
  readonly traceId: string;
  /** 16 hex digits, not all 0. */
  readonly spanId: string;
  /** The caller records this trace. */
  readonly sampled: boolean;
}

/** Undefined for what is no traceparent: then a trace begins anew, as the standard says. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  if (text === undefined || text.length < headerChars) return undefined;
  const [, version, traceId, spanId, flags, rest = ""] = pattern.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined || version === "ff" || (version === "00" && rest !== "")) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags ?? "0", 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`;
}

const headerChars = 55;
const pattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
