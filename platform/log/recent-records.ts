/**
 * Records that this process has just written, so that they need not be read back. Only the server knows what others wrote between
 * them: a record is given from here only where its notice said which record stands before it.
 */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { LogRecord } from "./log.ts";

export interface Written {
  readonly partition: number;
  readonly sequence: number;
  /** Undefined where it spans several messages, which are read from the server. */
  readonly body: Uint8Array | undefined;
}

interface Entry {
  readonly sequence: number;
  /** Undefined until the server's notice of it is here. */
  previous: number | undefined;
  body: Uint8Array | undefined;
}

export class RecentRecords {
  readonly #clock: Clock;
  readonly #entries = new Map<number, Entry[]>();
  /** By partition: how many writes are under way. */
  readonly #sending = new Map<number, number>();
  /** By partition: the last of those whose notices wait. */
  readonly #waiting = new Map<number, number>();
  readonly #listeners: ((partition: number, sequence: number) => void)[] = [];
  /** Partitions that were read here: of the others nothing is kept. */
  readonly #read = new Set<number>();
  #isListening = false;
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * A write to these partitions is under way: notices that come before its answer wait for that. The returned function ends it, with
   * what is durable; where the answer came first, on a connection of its own, the notice is waited for, up to `ownNoticeMsMax`: a read
   * at once would ask the server for a record that is here.
   */
  sending(partitions: Iterable<number>): (written: readonly Written[]) => void {
    const own = [...new Set(partitions)];
    for (const partition of own) this.#sending.set(partition, (this.#sending.get(partition) ?? 0) + 1);
    return (written) => {
      const unheard = written.filter((record) => !this.#take(record));
      for (const partition of own) this.#done(partition);
      if (unheard.length === 0) return;
      this.#clock.after(limits.ownNoticeMsMax, () => {
        for (const { partition, sequence } of unheard) this.#notify(partition, sequence);
      });
    };
  }

  /** Whether notices are heard at all: without them nothing is stored here. */
  listen(isListening: boolean): void {
    this.#isListening = isListening;
    this.#forget();
  }

  /** By the server: the record was written, and `previous` is the one before it in its partition; 0 where none is left there. */
  heard(partition: number, sequence: number, previous: number): void {
    if (this.#read.has(partition)) this.#entry(partition, sequence).previous = previous;
    if (this.#sending.has(partition)) this.#waiting.set(partition, Math.max(sequence, this.#waiting.get(partition) ?? 0));
    else this.#notify(partition, sequence);
  }

  /** Calls back for notices that waited and for what was written, with the last sequence of a partition. */
  onNotice(listener: (partition: number, sequence: number) => void): void {
    this.#listeners.push(listener);
  }

  /** Those above `after` without a gap; undefined where the server has to be asked. */
  read(partition: number, after: number, { max, bytesMax }: { max: number; bytesMax: number }): LogRecord[] | undefined {
    this.#read.add(partition);
    const records: LogRecord[] = [];
    let [last, room] = [after, bytesMax];
    for (const { sequence, previous = 0, body } of this.#above(partition, after)) {
      const isNext = previous > 0 && previous <= last;
      if (body === undefined || !isNext || records.length >= max) break;
      room -= body.byteLength;
      if (room < 0 && records.length > 0) break;
      records.push({ sequence, body, isNext });
      last = sequence;
    }
    return records.length > 0 ? records : undefined;
  }

  /** False where its notice is still on its way. */
  #take({ partition, sequence, body }: Written): boolean {
    if (this.#isListening && this.#read.has(partition)) {
      if (body !== undefined) this.#store(partition, sequence, body);
      if (this.#entry(partition, sequence).previous === undefined) return false;
    }
    this.#waiting.set(partition, Math.max(sequence, this.#waiting.get(partition) ?? 0));
    return true;
  }

  /** What is not above the position is needed no more. */
  #above(partition: number, after: number): readonly Entry[] {
    const entries = this.#entries.get(partition) ?? [];
    const from = entries.findIndex(({ sequence }) => sequence > after);
    for (const { body } of entries.splice(0, from < 0 ? entries.length : from)) this.#bytes -= body?.byteLength ?? 0;
    return entries;
  }

  #done(partition: number): void {
    const left = (this.#sending.get(partition) ?? 1) - 1;
    if (left > 0) return void this.#sending.set(partition, left);
    this.#sending.delete(partition);
    const sequence = this.#waiting.get(partition);
    this.#waiting.delete(partition);
    if (sequence !== undefined) this.#notify(partition, sequence);
  }

  #notify(partition: number, sequence: number): void {
    for (const listener of this.#listeners) listener(partition, sequence);
  }

  /** In order, whichever of notice and answer comes first; the oldest make room. */
  #entry(partition: number, sequence: number): Entry {
    const entries = this.#entries.get(partition) ?? [];
    this.#entries.set(partition, entries);
    const at = entries.findLastIndex((entry) => entry.sequence <= sequence);
    const found = entries[at];
    if (found?.sequence === sequence) return found;
    const isFull = entries.length >= limits.logRecentRecordsMax;
    if (isFull) this.#bytes -= entries.shift()?.body?.byteLength ?? 0;
    const made: Entry = { sequence, previous: undefined, body: undefined };
    entries.splice(isFull ? Math.max(0, at) : at + 1, 0, made);
    return made;
  }

  #store(partition: number, sequence: number, body: Uint8Array): void {
    const entry = this.#entry(partition, sequence);
    if (this.#bytes + body.byteLength > limits.logRecentBytesMax) {
      this.#forget();
      this.#entries.set(partition, [entry]);
    }
    entry.body = body;
    this.#bytes += body.byteLength;
  }

  /** What is not here is read from the server. */
  #forget(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }
}
