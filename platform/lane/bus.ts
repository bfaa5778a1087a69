/** Members, progress and questions to appliers over a bus that carries short messages to its subscribers, and keeps none: core NATS. */
import type { Clock } from "../clock.ts";
import { limits } from "../limits.ts";
import { repeatedly } from "../repeatedly.ts";
import type { AppliedQuery, QueryApplied } from "./applied-queries.ts";
import type { Members } from "./ownership.ts";
import type { ProgressNotice, ProgressNotices } from "./progress-notices.ts";

/** As `connectJetStream` gives it. */
export interface Bus {
  readonly up: boolean;
  publish(subject: string, body: Uint8Array): void;
  /** Rejects after `ms`, and at once where there is no subscriber. */
  ask(subject: string, body: Uint8Array, ms: number): Promise<{ readonly data: Uint8Array }>;
  /** The returned function stops it. */
  subscribe(subject: string, callback: (message: BusMessage) => void): () => void;
  /** Calls back whenever the bus is there again after it was lost. The returned function stops it. */
  onBack(listener: () => void): () => void;
}

export interface BusMessage {
  readonly data: Uint8Array;
  /** To the sender; false where it asked for no answer. */
  respond(body: Uint8Array): boolean;
}

/**
 * `subject` is shared by all processes of one cluster, and by nothing else. What is published while the bus is away is lost to other processes: a
 * process that was away asks for it and says it again when the bus is back, and all ask now and then, as a message may be dropped.
 */
export function openBusNotices(bus: Bus, subject: string, clock: Clock): ProgressNotices {
  const asks = `${subject}-asks`;
  /** Of this process: they hear at once what it publishes, and once more from the bus. */
  const listeners = new Set<(notice: ProgressNotice) => void>();
  function ask(): void {
    if (bus.up) bus.publish(asks, nothing);
  }
  return {
    publish(notices) {
      for (const listener of listeners) notices.forEach(listener);
      if (bus.up) bus.publish(subject, toBytes(notices));
    },
    listen(listener) {
      listeners.add(listener);
      // A process of the build before publishes them one by one
      const unsubscribe = bus.subscribe(subject, ({ data }) => {
        [fromBytes<ProgressNotice | readonly ProgressNotice[]>(data)].flat().forEach(listener);
      });
      const deafen = bus.onBack(ask);
      const end = repeatedly(clock, limits.progressAskMs, ask);
      ask();
      return () => {
        listeners.delete(listener);
        end();
        deafen();
        unsubscribe();
      };
    },
    onAsk(listener) {
      const unsubscribe = bus.subscribe(asks, listener);
      const deafen = bus.onBack(listener);
      return () => {
        deafen();
        unsubscribe();
      };
    },
  };
}

/**
 * Every process hears all others and keeps which it heard. `beat` rejects while the bus is away. A newcomer is greeted by all
 * others, and waits that long before it believes to know who is there; as does one that was silent for longer than it may be, which may
 * have missed as much of the others.
 */
export function openBusMembers({ bus, subject, clock }: { bus: Bus; subject: string; clock: Clock }): Members & { close(): void } {
  const goneAt = new Map<string, number>();
  let own: Beat | undefined;
  let ownGoneAt = 0;
  const stop = bus.subscribe(subject, ({ data }) => {
    const { id, ms } = fromBytes<Beat>(data);
    if (id === own?.id) return;
    const isNew = (goneAt.get(id) ?? 0) <= clock.monotonic();
    if (ms > 0) goneAt.set(id, clock.monotonic() + ms);
    else goneAt.delete(id);
    if (ms > 0 && isNew && own) bus.publish(subject, toBytes(own));
  });
  return {
    async beat(id, ms) {
      if (!bus.up) throw new Error("The bus is away");
      const isNew = own === undefined || ownGoneAt <= clock.monotonic();
      own = { id, ms };
      ownGoneAt = clock.monotonic() + ms;
      bus.publish(subject, toBytes(own));
      if (isNew) await new Promise<void>((resolve) => clock.after(greetMs, resolve));
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

export interface BusQueries {
  /** Whether this process works on the lane. */
  isOwn(lane: number): boolean;
  /** Asks whichever process does. */
  ask(lane: number, ask: AppliedQuery): Promise<boolean>;
  /** Answers for a lane; the returned function stops it. */
  serve(lane: number, answer: QueryApplied): () => void;
}

/**
 * `subject` is the beginning of those of all lanes of one service of one cluster, and of nothing else. What this process works
 * on itself it does not ask others for.
 */
export function openBusQueries(bus: Bus, subject: string): BusQueries {
  const own = new Map<number, QueryApplied>();
  return {
    isOwn: (lane) => own.has(lane),
    async ask(lane, ask) {
      const answer = own.get(lane);
      if (answer !== undefined) return await answer(ask);
      if (!bus.up) return false;
      try {
        return fromBytes<boolean>((await bus.ask(`${subject}.${lane}`, toBytes(ask), ask.ms)).data) === true;
      } catch {
        // No process works on the lane now, or the one that does has no answer in time: the caller goes by the lane's position
        return false;
      }
    },
    serve(lane, answer) {
      own.set(lane, answer);
      const stop = bus.subscribe(`${subject}.${lane}`, (message) => {
        // A process that gets no answer asks again
        answered(message.data, answer).then((isIn) => message.respond(toBytes(isIn))).catch(() => {});
      });
      return () => {
        stop();
        if (own.get(lane) === answer) own.delete(lane);
      };
    },
  };
}

async function answered(data: Uint8Array, answer: QueryApplied): Promise<boolean> {
  const { through, keys, ms } = fromBytes<AppliedQuery>(data);
  return await answer({ through, keys, ms: Math.min(ms, limits.positionWaitMsMax) });
}

const greetMs = 150;
const nothing = new Uint8Array();

interface Beat {
  readonly id: string;
  /** How long it may be silent; 0: it is gone. */
  readonly ms: number;
}

function toBytes(message: Beat | readonly ProgressNotice[] | AppliedQuery | boolean): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(message));
}

function fromBytes<T>(bytes: Uint8Array): T {
  return JSON.parse(new TextDecoder().decode(bytes)) as T;
}
