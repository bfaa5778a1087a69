/** How long a resolver rests between two steps. */
import { limits } from "../../../platform/limits.ts";

interface StepTook {
  /** From when resolving began until the step was out. */
  readonly tookMs: number;
  /** The latest write of rows that ended, where that goes on beside the steps. */
  readonly writingMs?: number;
  /** What could be read for it. */
  readonly bytesMax: number;
}

/**
 * After a step that took so long, while the one before was written for so long: a step of few records costs nearly what one of many does, so where many come they come together; the rest ends
 * `stepsApartMsMax` after that step began. One record alone is that of a caller who may be waiting for it, and where as much is read as a step takes
 * more is waiting already.
 */
export function restMs(records: readonly { readonly body: Uint8Array }[], { tookMs, writingMs = 0, bytesMax }: StepTook): number {
  const bytes = records.reduce((sum, { body }) => sum + body.byteLength, 0);
  const isFull = records.length * 2 > limits.passRecordsMax || bytes * 2 > bytesMax;
  return isFull || records.length < 2
    ? 0
    : Math.min(limits.stepRestTimes * (tookMs + writingMs), Math.max(0, limits.stepsApartMsMax - tookMs));
}
