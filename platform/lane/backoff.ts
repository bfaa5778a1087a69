/** How long to wait before trying again what failed. */
import { limits } from "../limits.ts";

/** Doubles from `passRetryMsMin` to `passRetryMsMax`; `failures` counts from 1. */
export function backoffMs(failures: number): number {
  return Math.min(limits.passRetryMsMax, limits.passRetryMsMin * 2 ** (failures - 1));
}
