/** How long a resolver rests between two steps. */
import { limits } from "../../../platform/limits.ts";

/**
 * In the mesh, after a step that took so long from when resolving began until it was published: a step of few records costs nearly what one of many does, so what comes at about the same time comes
 * together; the rest ends `stepsApartMs` after that step began, and later where it had its share of `manyRecords`, which are those of all partitions: `manyStepsApartMs`, or `smallStepsApartMs` where
 * all that is small, so that what a read may wait for is soon applied. A caller who waits ends it; and where as much is read as a step takes more is waiting already.
 */
export function restMs(records: readonly { readonly body: Uint8Array }[], { tookMs, partitions }: PartitionStep): number {
  const bytes = records.reduce((sum, { body }) => sum + body.byteLength, 0);
  const isFull = records.length * 2 > limits.stepRecordsMax || bytes * 2 > limits.stepReadBytesMax;
  return isFull ? 0 : Math.max(0, apartMs(records.length, { bytes, partitions }) - tookMs);
}

function apartMs(records: number, { bytes, partitions }: { readonly bytes: number; readonly partitions: number }): number {
  if (records < Math.max(2, limits.manyRecords / partitions)) return limits.stepsApartMs;
  return bytes * partitions <= limits.smallStepsBytes ? limits.smallStepsApartMs : limits.manyStepsApartMs;
}

interface PartitionStep {
  readonly tookMs: number;
  /** Of the intake, which share `manyRecords`. */
  readonly partitions: number;
}

interface Transaction {
  readonly records: number;
  readonly workspaces: number;
  /** Changes of users. */
  readonly changes: number;
  /** From when resolving began until it was committed. */
  readonly tookMs: number;
}

/**
 * In one process, after a step whose workspaces have few changes each, as of requests of one object: a workspace costs a step twice as much as a change does, so more that come together cost less.
 * The rest ends `transactionsApartMs` after that step began. One record alone is that of a caller who may be waiting for it.
 */
export function transactionRestMs({ records, workspaces, changes, tookMs }: Transaction): number {
  const hasFew = records > 1 && changes < workspaces * limits.workspaceChangesFew;
  return hasFew ? Math.max(0, limits.transactionsApartMs - tookMs) : 0;
}
