/** Members and progress over a bus that carries short messages to whoever listens, and keeps none: core NATS. */
import type { Clock } from "../clock.ts";
import type { Members } from "./ownership.ts";
import type { News, ProgressNews } from "./progress-news.ts";

/** As `connectJetStream` gives it. */
export interface Bus {
  readonly up: boolean;
  publish(subject: string, body: Uint8Array): void;
  /** The returned function stops it. */
  subscribe(subject: string, callback: (message: { readonly data: Uint8Array }) => void): () => void;
}

/** `subject` is shared by all processes of one cluster, and by nothing else. */
export function openBusNews(bus: Bus, subject: string): ProgressNews {
  return {
    // Lost while the bus is away; whoever tells says it again
    tell(news) {
      if (bus.up) bus.publish(subject, toBytes(news));
    },
    listen: (listener) => bus.subscribe(subject, ({ data }) => listener(fromBytes<News>(data))),
  };
}

/**
 * Everybody hears everybody and keeps who was heard. `beat` rejects while the bus is away. A newcomer is greeted by all
 * others, and waits that long before it believes to know who is there.
 */
export function openBusMembers({ bus, subject, clock }: { bus: Bus; subject: string; clock: Clock }): Members & { close(): void } {
  const goneAt = new Map<string, number>();
  let own: Beat | undefined;
  const stop = bus.subscribe(subject, ({ data }) => {
    const { id, ms } = fromBytes<Beat>(data);
    if (id === own?.id) return;
    if (ms > 0 && !goneAt.has(id) && own) bus.publish(subject, toBytes(own));
    if (ms > 0) goneAt.set(id, clock.monotonic() + ms);
    else goneAt.delete(id);
  });
  return {
    async beat(id, ms) {
      if (!bus.up) throw new Error("The bus is away");
      const newcomer = own === undefined;
      own = { id, ms };
      bus.publish(subject, toBytes(own));
      if (newcomer) await new Promise<void>((resolve) => clock.after(greetMs, resolve));
      for (const [other, at] of goneAt) if (at <= clock.monotonic()) goneAt.delete(other);
      return [id, ...goneAt.keys()];
    },
    async leave(id) {
      own = undefined;
      if (bus.up) bus.publish(subject, toBytes({ id, ms: 0 }));
    },
    close: stop,
  };
}

const greetMs = 150;

interface Beat {
  readonly id: string;
  /** How long it may be silent; 0: it is gone. */
  readonly ms: number;
}

function toBytes(message: Beat | News): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}
