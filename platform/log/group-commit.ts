/** Appends that wait for the next write: two classes of them, bounded in number and bytes. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";

export interface Append {
  readonly partition: number;
  readonly record: Uint8Array;
  readonly resolve: (sequence: number) => void;
  readonly reject: (reason: unknown) => void;
}

export interface GroupCommit {
  readonly closed: boolean;
  /** As Log.append(). Refuses LOG_UNAVAILABLE once it is closed, and OVERLOADED where too much waits. */
  append(partition: number, record: Uint8Array, priority: "normal" | "low"): Promise<number>;
  waiting(): number;
  /**
   * The next batch, each class in call order: low appends that waited their time (or, where no normal one waits, all
   * that fit), then normal ones. At least one, then at most `groupCommitWritesMax` and `logBatchBytesMax`.
   */
  take(): Append[];
  /** Takes nothing more; resolves when what waits is written. */
  close(): Promise<void>;
}

/** `write` takes and settles some of what waits. It is called again and again while anything does, and never rejects. */
export function openGroupCommit(clock: Clock, write: () => Promise<void>): GroupCommit {
  const normal: Entry[] = [];
  const low: Entry[] = [];
  let bytesWaiting = 0;
  let writing: Promise<void> | undefined;
  let closed = false;

  function waiting(): number {
    return normal.length + low.length;
  }
  async function writeAll(): Promise<void> {
    while (waiting() > 0) await write();
    writing = undefined;
  }
  function overdueCount(): number {
    const before = clock.monotonic() - limits.lowPriorityWaitMsMax;
    const firstFresh = low.findIndex(({ since }) => since > before);
    return firstFresh < 0 ? low.length : firstFresh;
  }

  return {
    get closed() {
      return closed;
    },
    append(partition, record, priority) {
      if (closed) return Promise.reject(new Refusal("LOG_UNAVAILABLE", "The log is closed"));
      if (waiting() >= limits.logAppendsWaitingMax || bytesWaiting + record.byteLength > limits.logBytesWaitingMax) {
        return Promise.reject(new Refusal("OVERLOADED", "Too many appends wait for the log"));
      }
      return new Promise((resolve, reject) => {
        bytesWaiting += record.byteLength;
        if (priority === "low") low.push({ partition, record, resolve, reject, since: clock.monotonic() });
        else normal.push({ partition, record, resolve, reject, since: 0 });
        writing ??= writeAll();
      });
    },
    waiting,
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
    async close() {
      closed = true;
      await writing;
    },
  };
}

/** Moves what fits from the front of `from` to `batch`: at least one where `batch` is empty and may take any. */
function moveFront(from: Entry[], batch: Batch, fit: { countMax: number; bytesMax: number }): void {
  let moved = 0;
  for (const append of from) {
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

interface Entry extends Append {
  readonly since: number;
}
