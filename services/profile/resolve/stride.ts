/**
 * How much of the log a step takes: what is planned in a few milliseconds, as no other work gets a turn meanwhile. And how long the next one waits for
 * more.
 */
import { limits } from "../../../platform/limits.ts";

export interface Stride {
  /** What to read for the next step. */
  bytesMax(): number;
  /** Planning a step of these records took so long. */
  took(records: readonly { readonly body: Uint8Array }[], ms: number): void;
}

/** Follows what steps cost: users that are not in memory cost several times those that are. */
export function createStride(): Stride {
  let bytesPerMs = limits.passBytesMin / limits.passPlanMsAim;
  return {
    bytesMax: () => Math.min(limits.passBytesMax, Math.max(limits.passBytesMin, Math.floor(bytesPerMs * limits.passPlanMsAim))),
    took(records, ms) {
      const seen = Math.min(bytesOf(records) / Math.max(ms, shortestMs), limits.passBytesMax);
      bytesPerMs += (seen - bytesPerMs) * weightOfLatest;
    },
  };
}

/**
 * How long a resolver rests after a step that took so long: a step of few records costs nearly what one of many does, so where many come they come
 * together. One record alone is that of a caller who may be waiting for it, and where a step is large more is waiting already.
 */
export function restMs(records: readonly { readonly body: Uint8Array }[], tookMs: number): number {
  const isLarge = records.length * 2 > limits.passRecordsMax || bytesOf(records) > limits.stepRestBytesMax;
  return isLarge || records.length < 2 ? 0 : Math.min(limits.stepRestMsMax, limits.stepRestTimes * tookMs);
}

function bytesOf(records: readonly { readonly body: Uint8Array }[]): number {
  return records.reduce((sum, { body }) => sum + body.byteLength, 0);
}

/** Below it a measured time has no meaning. */
const shortestMs = 0.1;
const weightOfLatest = 0.3;
