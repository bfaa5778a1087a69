/** Which traces are recorded: the samplers that OTEL_TRACES_SAMPLER names. */
import type { TraceContext } from "./trace-context.ts";

export const samplerNames = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export type SamplerName = (typeof samplerNames)[number];

/** `ratio` from 0 to 1 counts for the two that have `traceidratio` in their name. */
export function createSampler(name: SamplerName, ratio: number): (traceId: string, parent: TraceContext | undefined) => boolean {
  const root = rootOf(name, ratio);
  if (!name.startsWith("parentbased_")) return root;
  return (traceId, parent) => (parent === undefined ? root(traceId) : parent.sampled);
}

function rootOf(name: SamplerName, ratio: number): (traceId: string) => boolean {
  if (name.endsWith("always_on")) return () => true;
  if (name.endsWith("always_off")) return () => false;
  // The last 56 bits are random (W3C Trace Context, level 2); 48 of them fit a number
  const bound = Math.round(ratio * 2 ** bits);
  return (traceId) => Number.parseInt(traceId.slice(-bits / 4), 16) < bound;
}

const bits = 48;
