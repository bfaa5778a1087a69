/** Who hears that something new may be read: told by this process at once, by the server for others, and asked for now and then. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import type { JetStreamConnection } from "./jetstream-connection.ts";
import { lastSequenceOf, newsSubject } from "./jetstream-stream.ts";

export interface News {
  watch(listener: (partition: number) => void): () => void;
  /** The record with this sequence is durable. */
  wrote(partition: number, sequence: number): void;
  end(): void;
}

/**
 * The server republishes each record's headers, and a leader that dies may not come to it: so all partitions are called
 * when a lost connection is back, and every `logWatchPollMs` where the stream went on. Nothing is asked while nobody watches.
 */
export function openNews(source: NewsSource): News {
  const listeners = new Set<{ listener: (partition: number) => void }>();
  const told = new Map<number, number>();
  let stop: (() => void) | undefined;

  function tell(partition: number): void {
    for (const { listener } of listeners) listener(partition);
  }
  /** A record that this process wrote is heard of twice. */
  function tellOnce(partition: number, sequence: number): void {
    if (sequence <= (told.get(partition) ?? 0)) return;
    told.set(partition, sequence);
    tell(partition);
  }
  function tellAll(): void {
    for (let partition = 0; partition < source.partitions; partition += 1) tell(partition);
  }
  function end(): void {
    stop?.();
    stop = undefined;
  }

  return {
    watch(listener) {
      // A listener given twice is two watches, each with an end of its own
      const own = { listener };
      listeners.add(own);
      stop ??= followStream(source, { tellOnce, tellAll });
      return () => {
        listeners.delete(own);
        if (listeners.size === 0) end();
      };
    },
    wrote: tellOnce,
    end() {
      listeners.clear();
      end();
    },
  };
}

function followStream(source: NewsSource, tell: { tellOnce(partition: number, sequence: number): void; tellAll(): void }): () => void {
  const { connection, clock, name } = source;
  let polled = 0;
  let cancel: (() => void) | undefined;
  let stopped = false;

  async function poll(): Promise<void> {
    const last = await lastSequenceOf(connection, name).catch(() => undefined);
    if (stopped || last === undefined || last === polled) return;
    polled = last;
    tell.tellAll();
  }
  function again(): void {
    if (!stopped) cancel = clock.after(limits.logWatchPollMs, () => void poll().finally(again));
  }
  const unsubscribe = connection.subscribe(`${newsSubject(name)}.*`, ({ subject, headers }) => {
    tell.tellOnce(Number(subject.slice(subject.lastIndexOf(".") + 1)), Number(headers?.get("Nats-Sequence")));
  });
  const deafen = connection.onBack(tell.tellAll);
  again();
  return () => {
    stopped = true;
    cancel?.();
    deafen();
    unsubscribe();
  };
}

interface NewsSource {
  readonly connection: JetStreamConnection;
  readonly clock: Clock;
  /** Of the stream. */
  readonly name: string;
  readonly partitions: number;
}
