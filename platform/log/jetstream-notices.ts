/** Listeners that hear that something new may be read: called by this process at once, by the server for others, and asked for now and then. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { JetStreamConnection } from "./jetstream-connection.ts";
import { lastMessage } from "./jetstream-read.ts";
import { endOfStream, noticeSubject } from "./jetstream-stream.ts";
import type { RecentRecords } from "./recent-records.ts";

export interface RecordNotices {
  watch(listener: (partition: number) => void): () => void;
  /** A read found nothing above the sequence. */
  foundEnd(partition: number, sequence: number): void;
  /** Whether that still holds, as far as is heard: false without a watcher, and where notices may have been lost since. */
  isEnd(partition: number, sequence: number): boolean;
  end(): void;
}

/**
 * The server republishes each record's headers, and a leader that dies may not come to it: so all partitions are called when a lost
 * connection is back, where another server leads, where a look each `logWatchPollMs` finds a record that nothing was heard of, and now
 * and then where the stream went on. It looks half as often at a stream that stands still, and not at all without a watcher.
 */
export function openRecordNotices(source: NoticeSource): RecordNotices {
  const listeners = new Set<{ listener: (partition: number) => void }>();
  const noticed = new Map<number, number>();
  const ends = new Map<number, number>();
  let last = 0;
  let stop: (() => void) | undefined;

  function call(partition: number): void {
    for (const { listener } of listeners) listener(partition);
  }
  /** A record that this process wrote is heard of twice. */
  function callOnce(partition: number, sequence: number): void {
    last = Math.max(last, sequence);
    if (sequence <= (noticed.get(partition) ?? 0)) return;
    noticed.set(partition, sequence);
    call(partition);
  }
  function callAll(): void {
    ends.clear();
    for (let partition = 0; partition < source.partitions; partition += 1) call(partition);
  }
  function end(): void {
    stop?.();
    stop = undefined;
    source.recent.listen(false);
    ends.clear();
  }

  function begin(): () => void {
    source.recent.listen(true);
    return followStream(source, { last: () => last, callAll });
  }

  source.recent.onNotice(callOnce);
  return {
    watch(listener) {
      // A listener given twice is two watches, each with an end of its own
      const own = { listener };
      listeners.add(own);
      stop ??= begin();
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) end();
      };
    },
    foundEnd(partition, sequence) {
      // A replica that lags does not know of what was already heard
      if (stop && sequence >= (noticed.get(partition) ?? 0)) ends.set(partition, sequence);
    },
    isEnd(partition, sequence) {
      const end = ends.get(partition);
      return end !== undefined && sequence >= end && sequence >= (noticed.get(partition) ?? 0);
    },
    end() {
      listeners.clear();
      end();
    },
  };
}

/** `last`: the last sequence that was heard of. */
function followStream(source: NoticeSource, calls: { last(): number; callAll(): void }): () => void {
  const { connection, clock, name, recent } = source;
  let polled = { last: 0, leader: "" };
  /** The last record that was there at a look; checkpoints and marks of trims are no records. */
  let record = 0;
  /** Looks since records came without a call to all. */
  let looks = 0;
  /** Whether the last look found all as it was. */
  let isStill = false;
  let cancel: (() => void) | undefined;
  let stopped = false;

  async function poll(): Promise<void> {
    isStill = false;
    const seen = await endOfStream(connection, name).catch(() => undefined);
    if (stopped || seen === undefined) return;
    const found = seen.last === polled.last ? record : await lastRecord();
    const [isElsewhere, cameOn] = [seen.leader !== polled.leader, found === undefined || found > record];
    polled = seen;
    record = Math.max(record, found ?? 0);
    isStill = !isElsewhere && !cameOn && looks === 0;
    if (isStill) return;
    looks += 1;
    const isUnheard = isElsewhere || (cameOn && await isMissing(found));
    if (stopped || (!isUnheard && looks < limits.logWatchAllLooks)) return;
    looks = 0;
    calls.callAll();
  }
  /** Undefined where it cannot be asked. */
  function lastRecord(): Promise<number | undefined> {
    return lastMessage(connection, { stream: name, subject: `${name}.*` }).then((message) => message?.sequence ?? 0, () => undefined);
  }
  /** Notices of what was written a moment ago may be on their way. */
  async function isMissing(found = Infinity): Promise<boolean> {
    if (found > calls.last()) await new Promise<void>((resolve) => clock.after(limits.logNoticeMsMax, resolve));
    return found > calls.last();
  }
  function again(): void {
    if (stopped) return;
    cancel = clock.after(isStill ? limits.logWatchPollIdleMs : limits.logWatchPollMs, () => void poll().finally(again));
  }
  const unsubscribe = connection.subscribe(`${noticeSubject(name)}.*`, ({ subject, headers }) => {
    const partition = Number(subject.slice(subject.lastIndexOf(".") + 1));
    recent.heard(partition, Number(headers?.get("Nats-Sequence")), Number(headers?.get("Nats-Last-Sequence")));
  });
  const deafen = connection.onBack(calls.callAll);
  again();
  return () => {
    stopped = true;
    cancel?.();
    deafen();
    unsubscribe();
  };
}

interface NoticeSource {
  readonly connection: JetStreamConnection;
  readonly clock: Clock;
  /** Of the stream. */
  readonly name: string;
  readonly partitions: number;
  readonly recent: RecentRecords;
}
