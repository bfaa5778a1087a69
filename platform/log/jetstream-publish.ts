/** Publishing to JetStream: several messages as one atomic batch, and what is certain when it fails. */
import { headers, type Msg, type MsgHdrs, nuid } from "nats";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import { type ApiError, isAway, isNoResponders, type JetStreamConnection } from "./jetstream-connection.ts";
import { bodyBytesMaxOf, partHeader, type PartMessage, partToHeader } from "./message-size.ts";

export interface Message extends PartMessage {
  readonly headers?: Readonly<Record<string, string>>;
}

/** Names the last sequence of the message's subject that the publisher knows of. */
export const expectedHeader = "Nats-Expected-Last-Subject-Sequence";

/** The stream refused all of it, because the last sequence of a subject was not the expected one. */
export class WrongLastSequence extends Error {}

/**
 * Publishes all messages or none, side by side in the stream, and resolves with the sequence of the first when all are
 * durable. Never repeats anything. Throws WrongLastSequence; refuses LOG_FULL, LOG_UNAVAILABLE (certainly not written)
 * and OUTCOME_UNKNOWN (no answer, or one that leaves it open). RangeError for more than `logBatchMessagesMax` messages. A body
 * larger than the server takes now is refused LOG_UNAVAILABLE: the server was another one when the message was cut.
 */
export async function publishTogether(connection: JetStreamConnection, messages: readonly Message[]): Promise<number> {
  if (!connection.up) throw new Refusal("LOG_UNAVAILABLE");
  checkSizes(connection, messages);
  let answer: Msg;
  try {
    answer = await send(connection, messages);
  } catch (error) {
    throw unansweredOf(error);
  }
  const ack = answer.json<Acknowledgement>();
  if (ack.error) throw failureOf(ack.error);
  if (messages.length > 1 && ack.count !== messages.length) {
    throw new Refusal("OUTCOME_UNKNOWN", `Expected ${messages.length} messages to be written together, got ${ack.count}`);
  }
  return ack.seq - messages.length + 1;
}

/**
 * Whether to publish so many messages together, where nothing but their cost has to hold for them together. A batch is one acknowledgement and, from some version
 * of the server on, one write to disk; but where a stream has one replica, the server makes, syncs and removes files for each batch, which takes as long as a dozen messages.
 */
export function isBatchCheaper(messages: number, replicas: number): boolean {
  return replicas > 1 ? messages > 1 : messages > limits.publishedSinglyMax;
}

function checkSizes(connection: Pick<JetStreamConnection, "messageBytesMax">, messages: readonly Message[]): void {
  if (messages.length > limits.logBatchMessagesMax) {
    throw new RangeError(`Expected at most ${limits.logBatchMessagesMax} messages together, got ${messages.length}`);
  }
  const bytesMax = bodyBytesMaxOf(connection.messageBytesMax);
  const large = messages.find(({ body }) => body.byteLength > bytesMax);
  if (large === undefined) return;
  throw new Refusal("LOG_UNAVAILABLE", `nats-server takes ${bytesMax} bytes now, "${large.subject}" has ${large.body.byteLength}`);
}

/** One message needs no batch, which would be written twice. */
function send(connection: JetStreamConnection, messages: readonly Message[]): Promise<Msg> {
  const last = messages.at(-1);
  if (last === undefined) throw new RangeError("Expected at least one message");
  if (messages.length === 1) return connection.request(last.subject, last.body, headersOf(last));
  const batch = nuid.next();
  for (const [index, message] of messages.slice(0, -1).entries()) {
    connection.publish(
      message.subject,
      message.body,
      headersOf(message, [["Nats-Batch-Id", batch], ["Nats-Batch-Sequence", `${index + 1}`]]),
    );
  }
  const commit: Pairs = [["Nats-Batch-Id", batch], ["Nats-Batch-Sequence", `${messages.length}`], ["Nats-Batch-Commit", "1"]];
  return connection.request(last.subject, last.body, headersOf(last, commit));
}

function headersOf(message: Message, further: Pairs = []): MsgHdrs {
  const own = headers();
  if (message.part !== undefined) own.set(partHeader, partToHeader(message.part));
  for (const [key, value] of [...Object.entries(message.headers ?? {}), ...further]) own.set(key, value);
  return own;
}

/** What it means that no answer came. Only what the client says of its connection passes: a message that it does not take stays too large. */
function unansweredOf(error: unknown): Refusal {
  if (isNoResponders(error)) return new Refusal("LOG_UNAVAILABLE", undefined, { cause: error });
  return new Refusal("OUTCOME_UNKNOWN", undefined, { cause: error, ...(!isAway(error) && { passes: false as const }) });
}

/** By the server's error codes (its errors.json). All but one kind of failed write is said before anything is written. */
function failureOf(error: ApiError): Error {
  const cause = new Error(`JetStream refused with ${error.err_code}, "${error.description}"`);
  if (wrongLast.has(error.err_code)) return new WrongLastSequence(cause.message);
  if (noRoom.has(error.err_code) || (error.err_code === storeFailed && limitReached.test(error.description))) {
    return new Refusal("LOG_FULL", undefined, { cause });
  }
  if (error.err_code === storeFailed) return new Refusal("OUTCOME_UNKNOWN", undefined, { cause });
  const isFault = error.code === badRequest && error.err_code !== batchIncomplete;
  return new Refusal("LOG_UNAVAILABLE", undefined, { cause, ...(isFault && { passes: false as const }) });
}

const wrongLast: ReadonlySet<number> = new Set([10071, 10164]);
/** The account's, the server's and its storage's limits. */
const noRoom: ReadonlySet<number> = new Set([10002, 10023, 10047]);
const storeFailed = 10077;
/** The message itself cannot be taken, but for a batch that the server gave up under way. */
const badRequest = 400;
const batchIncomplete = 10176;
const limitReached = /maximum (bytes|messages) exceeded/;

type Pairs = readonly (readonly [string, string])[];

interface Acknowledgement {
  readonly seq: number;
  readonly count?: number;
  readonly error?: ApiError;
}
