/** What the spans of a trace say of a request's road through the parts. */
import type { CollectedSpan } from "./collector.ts";

/**
 * Of every span the names of those above it, the request first, and its own, as in `POST /a > Service/B > intake append`;
 * each road once, as what failed is done again. The two sides of a call between processes are one step.
 */
export function roadsOf(spans: readonly CollectedSpan[]): string[] {
  function roadTo(span: CollectedSpan): string[] {
    const parent = parentOf(spans, span);
    return [...(parent === undefined ? [] : roadTo(parent)), ...(isCall(span) ? [] : [shortName(span)])];
  }
  return [...new Set(spans.filter((span) => !isCall(span)).map((span) => roadTo(span).join(" > ")))].toSorted();
}

/** The names of answered calls above which no process says that it made them, with where it sent them. */
export function looseCalls(spans: readonly CollectedSpan[]): string[] {
  return spans.filter(isAnswer).filter((span) => {
    const made = parentOf(spans, span);
    if (made === undefined || !isCall(made)) return true;
    const keys = made.attributes.map(({ key }) => key);
    return made.name !== span.name || made.service === span.service || !keys.includes("server.port") ||
      !keys.includes("heddle.rpc.attempts");
  }).map(({ name }) => name);
}

/** The span of a process that answers an RPC. */
export function isAnswer({ kind, attributes }: CollectedSpan): boolean {
  return kind === serverKind && attributes.some(({ key }) => key === "rpc.method");
}

function isCall({ kind }: CollectedSpan): boolean {
  return kind === clientKind;
}

const serverKind = 2;
const clientKind = 3;

function parentOf(spans: readonly CollectedSpan[], { parentSpanId }: CollectedSpan): CollectedSpan | undefined {
  return spans.find(({ spanId }) => spanId === parentSpanId);
}

/** `heddle.profile.v1.ProfileService/TrackUsers` without its package. */
function shortName({ name }: CollectedSpan): string {
  return name.replace(/^[\w.]+\.(?=\w+\/\w+$)/, "");
}
