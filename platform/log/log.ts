/** The durable log port: numbered partitions, each one order, written by many and read from a position. */

/**
 * A durable log of `partitions` independent orders. Sequences of a partition rise, start above 0, and are never
 * given twice, not even after records were trimmed or the log was made anew (an epoch x 2^40 is added then).
 */
export interface Log {
  readonly partitions: number;
  /** The first sequence of its epoch: what lies below was given before the log was lost or put back. 1 unless it is said. */
  readonly begins?: number;
  /**
   * Appends one record and resolves with its sequence when it is durable: a crash of the process or the machine
   * right after does not lose it. Appends that wait at the same time may share one durable write. Records of one caller
   * that awaits each append keep their order.
   * `low` priority waits for normal appends, at most `lowPriorityWaitMsMax` (limits.ts).
   * Refuses: LOG_FULL and LOG_UNAVAILABLE (certainly not written), OUTCOME_UNKNOWN (may be written).
   */
  append(partition: number, record: Uint8Array, priority?: "normal" | "low"): Promise<number>;
  /** The sequence of the last durable record, 0 where there was never one. */
  tail(partition: number): Promise<number>;
  /**
   * Records with a sequence above `after`, in order: at most `max`, and at most `bytesMax` after the first. Where several
   * servers keep the log, one that lags may answer and show fewer; with `current`, at a higher price, none is missing that
   * was durable before the call.
   */
  read(partition: number, after: number, options: { max: number; bytesMax: number; current?: boolean }): Promise<LogRecord[]>;
  /** Calls back, not necessarily at once, whenever something new may be read. The returned function stops it. */
  watch(listener: (partition: number) => void): () => void;
  /** Forgets records up to and including `through`. The tail stays. */
  trim(partition: number, through: number): Promise<void>;
  close(): Promise<void>;
}

export interface LogRecord {
  readonly sequence: number;
  readonly body: Uint8Array;
  /** Nothing was ever written between it and the record before it in the answer, or the position that was asked for. Absent: not known. */
  readonly isNext?: boolean;
}
