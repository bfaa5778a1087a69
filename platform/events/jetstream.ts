/** Events in a JetStream stream of their own, which other teams read with any NATS client (docs/events.md). */
import type { Msg } from "nats";
import { limits } from "../limits.ts";
import { askApi, connectJetStream, type ConnectOptions, type JetStreamConnection } from "../log/jetstream-connection.ts";
import { isBatchCheaper, type Message, publishTogether } from "../log/jetstream-publish.ts";
import { isLast } from "../log/jetstream-read.ts";
import { bodyBytesMaxOf } from "../log/message-size.ts";
import { checkMessageSize, connectPrepared, createStream, infoOf, logMetadata } from "../log/jetstream-stream.ts";
import { Refusal } from "../refusal.ts";
import { slicesBySize } from "../slices-by-size.ts";
import { checkEvent, type Events, type KeptEvent, type PublishedEvent } from "./events.ts";

export interface EventStreamShape {
  /** Of the stream, and first token of its subjects. */
  readonly name: string;
  readonly replicas: number;
  /** What the stream may hold; the oldest events make room. */
  readonly bytesMax: number;
  /** How long an event is kept. */
  readonly keepMs: number;
}

/** What follows the name of a subject: the event's own subject, and its scope as one token, a dot in it as `%2E`. */
export function eventSubject(name: string, { subject, scope }: Pick<PublishedEvent, "subject" | "scope">): string {
  return `${name}.${subject}.${scope.replaceAll(".", "%2E")}`;
}

/** The log whose events a stream keeps, and the place at which it begins where it is made. */
export interface EventLog {
  readonly logId: string;
  readonly number: number;
  readonly first: number;
}

/**
 * Makes the stream, or brings the one that is there to what is asked. Refuses LOG_UNAVAILABLE while no server answers. Unlike
 * the log it drops what is old: it reports what happened, and nothing is only in it.
 */
export async function createEventStream(options: EventStreamShape & ConnectOptions, log?: EventLog): Promise<void> {
  const { connection } = await connectPrepared(options, (open) => makeStream(open, options, log));
  await connection.close();
}

/** Connects to the stream that is there, to publish and to read. Refuses LOG_UNAVAILABLE while no server answers, or there is none. */
export async function openEventStream(options: Pick<EventStreamShape, "name"> & ConnectOptions): Promise<Events> {
  const { connection, prepared: config } = await connectPrepared(options, async (open) => {
    checkMessageSize(open);
    const found = await infoOf(open, options.name);
    if (found === undefined) throw new Refusal("LOG_UNAVAILABLE", `There is no stream "${options.name}"`);
    return found.config;
  });
  return eventsOf(connection, options.name, (count) => config.allow_atomic === true && isBatchCheaper(count, config.num_replicas ?? 1));
}

/** The stream that is there, to be read alone. Refuses LOG_UNAVAILABLE while no server answers. */
export async function readEventStream(options: Pick<EventStreamShape, "name"> & ConnectOptions): Promise<Pick<Events, "read" | "close">> {
  try {
    return eventsOf(await connectJetStream(options), options.name);
  } catch (cause) {
    throw new Refusal("LOG_UNAVAILABLE", "No NATS server answers", { cause });
  }
}

/** `isBatch`: whether so many are published together; never in a stream of a build before, until a profile process of this one has started. */
function eventsOf(connection: JetStreamConnection, name: string, isBatch: (count: number) => boolean = () => false): Events {
  return {
    async publish(events) {
      for (const event of events) checkEvent(event);
      const underWay = { max: limits.eventsInFlightMax, bytesMax: limits.eventBytesInFlightMax };
      for (const some of slicesBySize(events, ({ body }) => body.byteLength, underWay)) {
        if (isBatch(some.length) && await isPublishedTogether(connection, name, some)) continue;
        await Promise.all(some.map((event) => publish(connection, name, event)));
      }
    },
    read(after, { max, subject = ">" }) {
      const filter = subject === ">" ? `${name}.>` : `${name}.${subject}.*`;
      return readFrom(connection, { name, from: after + 1, max, filter });
    },
    readLast: (of, max) => readLast(connection, { name, filter: eventSubject(name, of), max }),
    close: () => connection.close(),
  };
}

/** A large batch costs a third of what its messages cost one by one. False: it certainly was not taken, as where one of them is there already. */
async function isPublishedTogether(connection: JetStreamConnection, name: string, events: readonly PublishedEvent[]): Promise<boolean> {
  try {
    await publishTogether(connection, events.map((event) => messageOf(name, event)));
    return true;
  } catch (error) {
    if (error instanceof Refusal && error.reason === "LOG_UNAVAILABLE") return false;
    throw error;
  }
}

function messageOf(name: string, event: PublishedEvent): Message {
  const headers = { [messageIdHeader]: event.eventId, [keyHeader]: encodeURIComponent(event.key) };
  return { subject: eventSubject(name, event), body: event.body, headers };
}

async function publish(connection: JetStreamConnection, name: string, event: PublishedEvent): Promise<void> {
  const bytesMax = bodyBytesMaxOf(connection.messageBytesMax);
  if (connection.up && event.body.byteLength > bytesMax) {
    throw new RangeError(`Expected at most ${bytesMax} bytes of the event "${event.eventId}", got ${event.body.byteLength}`);
  }
  await publishTogether(connection, [messageOf(name, event)]);
}

interface Asked {
  readonly name: string;
  /** Subjects of the stream. */
  readonly filter: string;
  readonly max: number;
}

async function readFrom(connection: JetStreamConnection, { name, filter, max, from }: Asked & { from: number }): Promise<KeptEvent[]> {
  const batch = Math.min(max, limits.logReadMessagesMax);
  const found = await getDirect(connection, name, { seq: from, next_by_subj: filter, batch, max_bytes: limits.logReadBytesMax });
  return found.map((answer) => keptOf(name, answer));
}

/** JetStream reads forwards alone: the place is looked for behind which there are `max`, by how many it says are behind a place. */
async function readLast(connection: JetStreamConnection, { name, filter, max }: Asked): Promise<KeptEvent[]> {
  const [last] = await getDirect(connection, name, { multi_last: [filter], batch: 1 });
  if (last === undefined) return [];
  const end = keptOf(name, last).sequence;
  let [enough, tooFew] = [end + 1 - max, end + 1];
  for (let span = max; enough > 1 && await countFrom(connection, { name, filter, from: enough }) < max; span *= spanGrowth) {
    tooFew = enough;
    enough = end + 1 - span * spanGrowth;
  }
  enough = Math.max(enough, 1);
  while (tooFew - enough > max) {
    const middle = Math.floor((enough + tooFew) / 2);
    if (await countFrom(connection, { name, filter, from: middle }) < max) tooFew = middle;
    else enough = middle;
  }
  const found: KeptEvent[] = [];
  for (let from = enough; from <= end;) {
    const some = await readFrom(connection, { name, filter, max: limits.logReadMessagesMax, from });
    if (some.length === 0) break;
    found.push(...some);
    from = (some.at(-1)?.sequence ?? end) + 1;
  }
  return found.slice(-max).toReversed();
}

/** How many there are at the place and behind it. */
async function countFrom(connection: JetStreamConnection, { name, filter, from }: Omit<Asked, "max"> & { from: number }): Promise<number> {
  const [first] = await getDirect(connection, name, { seq: from, next_by_subj: filter, batch: 1 });
  return first === undefined ? 0 : 1 + Number(first.headers?.get("Nats-Num-Pending") ?? 0);
}

async function getDirect(connection: JetStreamConnection, name: string, question: object): Promise<Msg[]> {
  try {
    return await connection.requestMany(`$JS.API.DIRECT.GET.${name}`, new TextEncoder().encode(JSON.stringify(question)), isLast);
  } catch (cause) {
    throw new Refusal("LOG_UNAVAILABLE", "The events cannot be reached", { cause });
  }
}

function keptOf(name: string, { headers, data }: Msg): KeptEvent {
  const tokens = (headers?.get("Nats-Subject") ?? "").slice(name.length + 1).split(".");
  return {
    sequence: Number(headers?.get("Nats-Sequence")),
    subject: tokens.slice(0, -1).join("."),
    scope: (tokens.at(-1) ?? "").replaceAll("%2E", "."),
    eventId: headers?.get(messageIdHeader) ?? "",
    key: decodeURIComponent(headers?.get(keyHeader) ?? ""),
    body: new Uint8Array(data),
    keptAt: Date.parse(headers?.get("Nats-Time-Stamp") ?? ""),
  };
}

async function makeStream(connection: JetStreamConnection, shape: EventStreamShape, log?: EventLog): Promise<void> {
  checkMessageSize(connection);
  const { name, replicas, bytesMax, keepMs } = shape;
  const config = {
    name,
    description: "Events of Heddle for other services and teams",
    subjects: [`${name}.>`],
    storage: "file",
    retention: "limits",
    discard: "old",
    max_bytes: bytesMax,
    max_age: keepMs * nanosPerMs,
    num_replicas: replicas,
    duplicate_window: Math.min(limits.eventsRepeatMs, keepMs) * nanosPerMs,
    allow_direct: true,
    allow_atomic: true,
  };
  const found = await infoOf(connection, name);
  if (found === undefined) {
    if (await createStream(connection, { ...config, ...(log && { metadata: logMetadata(log), first_seq: log.first }) })) return;
  }
  const body = { ...found?.config, ...config, metadata: { ...found?.config.metadata, ...(log && logMetadata(log)) } };
  await askApi(connection, { subject: `STREAM.UPDATE.${name}`, body });
}

/** How much further back is looked where there are too few. */
const spanGrowth = 8;
/** JetStream keeps a message once whose id it has seen. */
const messageIdHeader = "Nats-Msg-Id";
const keyHeader = "Heddle-Key";
const nanosPerMs = 1_000_000;
