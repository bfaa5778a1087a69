/** Appends that wait for the next write: two classes of them, bounded in number and bytes. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";

export interface Append {
  readonly partition: number;
  readonly record: Uint8Array;
  readonly resolve: (sequence: number) => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupCommit {
  hasRoomFor(record: Uint8Array): boolean;
  join(append: Append, priority: "normal" | "low"): void;
  waiting(): number;
  /**
   * The next batch, each class in call order: low appends that waited their time (or, where no normal one waits, all
   * that fit), then normal ones. At least one, then at most `groupCommitWritesMax` and `logBatchBytesMax`.
   */
  take(): Append[];
}

export function openGroupCommit(clock: Clock): GroupCommit {
  const normal: Entry[] = [];
  const low: Entry[] = [];
  let bytesWaiting = 0;

  function overdueCount(): number {
    const before = clock.monotonic() - limits.lowPriorityWaitMsMax;
    const firstFresh = low.findIndex((entry) => entry.since > before);
    return firstFresh < 0 ? low.length : firstFresh;
  }

  return {
    hasRoomFor: (record) =>
      normal.length + low.length < limits.logAppendsWaitingMax &&
      bytesWaiting + record.byteLength <= limits.logBytesWaitingMax,
    join(append, priority) {
      bytesWaiting += append.record.byteLength;
      (priority === "low" ? low : normal).push({ append, since: priority === "low" ? clock.monotonic() : 0 });
    },
    waiting: () => normal.length + low.length,
    take() {
      const whole = { countMax: limits.groupCommitWritesMax, bytesMax: limits.logBatchBytesMax };
      // Half for those that waited their time, the rest for normal ones: neither class can starve the other
      const half = { countMax: Math.min(overdueCount(), whole.countMax / 2), bytesMax: whole.bytesMax / 2 };
      const batch: Batch = { appends: [], bytes: 0 };
      moveFront(low, batch, normal.length === 0 ? whole : half);
      moveFront(normal, batch, whole);
      bytesWaiting -= batch.bytes;
      return batch.appends;
    },
  };
}

/** Moves what fits from the front of `from` to `batch`: at least one where `batch` is empty and may take any. */
function moveFront(from: Entry[], batch: Batch, fit: { countMax: number; bytesMax: number }): void {
  let moved = 0;
  for (const { append } of from) {
    const bytes = batch.bytes + append.record.byteLength;
    if (batch.appends.length >= fit.countMax || (batch.appends.length > 0 && bytes > fit.bytesMax)) break;
    batch.appends.push(append);
    batch.bytes = bytes;
    moved += 1;
  }
  from.splice(0, moved);
}

interface Batch {
  readonly appends: Append[];
  bytes: number;
}

interface Entry {
  readonly append: Append;
  readonly since: number;
}
