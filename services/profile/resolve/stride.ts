/** How much of the log a step takes: what is planned in a few milliseconds, as no other work gets a turn meanwhile. */
import { limits } from "../../../platform/limits.ts";

export interface Stride {
  /** What to read for the next step. */
  bytesMax(): number;
  /** Planning a step of these records took so long. */
  took(records: readonly { readonly body: Uint8Array }[], ms: number): void;
}

/** Follows what steps cost: users that are not in memory cost several times those that are. */
export function createStride(): Stride {
  let bytesPerMs = limits.stepReadBytesMin / limits.stepPlanMsAim;
  return {
    bytesMax: () => Math.min(limits.stepReadBytesMax, Math.max(limits.stepReadBytesMin, Math.floor(bytesPerMs * limits.stepPlanMsAim))),
    took(records, ms) {
      const bytes = records.reduce((sum, { body }) => sum + body.byteLength, 0);
      const seen = Math.min(bytes / Math.max(ms, shortestMs), limits.stepReadBytesMax);
      bytesPerMs += (seen - bytesPerMs) * weightOfLatest;
    },
  };
}

/** Below it a measured time has no meaning. */
const shortestMs = 0.1;
const weightOfLatest = 0.3;
