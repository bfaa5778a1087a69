/** The end of an order that one process alone writes: what it has just written need not be read back. */
import { limits } from "../limits.ts";
import type { LogRecord } from "./log.ts";

export interface OwnTail {
  /** The record is durable; nothing stands between it and the one given before. */
  wrote(record: LogRecord): void;
  /** Those above `after`, as Log.read(); undefined where some may be in the store alone. */
  read(after: number, options: { readonly max: number; readonly bytesMax: number }): LogRecord[] | undefined;
  /** Records up to the place are needed no more. */
  forget(through: number): void;
}

/** `end`: the last record that is in the store so far, 0 where there is none. */
export function createOwnTail(end: number): OwnTail {
  /** All records above this place are here. */
  let from = end;
  let records: LogRecord[] = [];
  let bytes = 0;

  function forget(through: number): void {
    if (through <= from) return;
    from = through;
    const left = records.findIndex(({ sequence }) => sequence > through);
    for (const { body } of records.splice(0, left < 0 ? records.length : left)) bytes -= body.byteLength;
  }

  return {
    forget,
    wrote(record) {
      bytes += record.body.byteLength;
      records.push(record);
      if (bytes <= limits.logRecentBytesMax) return;
      // The reader is so far behind that the store serves it as well
      from = record.sequence;
      records = [];
      bytes = 0;
    },
    read(after, { max, bytesMax }) {
      if (after < from) return undefined;
      forget(after);
      let room = bytesMax;
      const tooMuch = records.findIndex(({ body }, at) => (room -= body.byteLength) < 0 && at > 0);
      return records.slice(0, Math.min(max, tooMuch < 0 ? records.length : tooMuch));
    },
  };
}
