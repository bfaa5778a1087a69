/** Reading from the stream of a log: records above a position, the last of a subject, and records that span messages. */
import { Buffer } from "node:buffer";
import type { Msg } from "nats";
import { limits } from "../limits.ts";
import { askApi, type JetStreamConnection } from "./jetstream-connection.ts";
import { partitionSubject, trimmedSubject } from "./jetstream-stream.ts";
import type { LogRecord } from "./log.ts";
import { joinParts, partFromHeader, partHeader } from "./message-size.ts";

/** What a read found; whether the server that answered had no more of the subject. */
export interface Found {
  readonly records: LogRecord[];
  readonly isEnd: boolean;
}

/** Records of `subject` above `after`, in order, as the port's `read` says. Any replica may answer, unless `current`: then the leader. */
export async function readRecords(connection: JetStreamConnection, ask: ReadAsk): Promise<Found> {
  const records: LogRecord[] = [];
  let room = ask.bytesMax;
  let open: Uint8Array[] = [];
  let after = ask.after;
  for (;;) {
    let { parts, isEnd } = await readParts(connection, { ...ask, after });
    // `after` lies within a record, which is above it by its last message
    const [{ sequence, index } = { sequence: 0, index: 0 }] = open.length === 0 ? parts : [];
    if (index > 0) ({ parts, isEnd } = await readParts(connection, { ...ask, after: sequence - index - 1 }));
    for (const part of parts) {
      after = part.sequence;
      open.push(part.body);
      if (part.index + 1 < part.count) continue;
      const body = joinParts(open);
      open = [];
      room -= body.byteLength;
      if (room < 0 && records.length > 0) return { records, isEnd: false };
      records.push({ sequence: part.sequence, body });
      if (records.length >= ask.max) return { records, isEnd: isEnd && part === parts.at(-1) };
    }
    // With nothing whole so far, the first record is larger than one answer
    if (parts.length === 0 || records.length > 0) return { records, isEnd: isEnd && open.length === 0 };
  }
}

/** The first sequence of the record that the message at or above `from` belongs to; undefined where there is none. */
export async function firstOfRecordAt(
  connection: JetStreamConnection,
  ask: { stream: string; subject: string; from: number },
): Promise<number | undefined> {
  const { parts: [part] } = await readParts(connection, { ...ask, after: ask.from - 1, max: 1, bytesMax: 0 });
  return part && part.sequence - part.index;
}

/** The last sequence of a partition's records, of those too that were trimmed; 0 where there was none. */
export async function tailOf(connection: JetStreamConnection, stream: string, partition: number): Promise<number> {
  const last = await lastMessage(connection, { stream, subject: partitionSubject(stream, partition) });
  if (last) return last.sequence;
  const trimmed = await lastMessage(connection, { stream, subject: trimmedSubject(stream, partition) });
  return trimmed ? Number(new TextDecoder().decode(trimmed.body)) : 0;
}

/** The last message of a subject, asked from the leader. */
export async function lastMessage(
  connection: JetStreamConnection,
  ask: { stream: string; subject: string },
): Promise<LogRecord | undefined> {
  const answer = await askApi<{ message: { seq: number; data?: string } }>(connection, {
    subject: `STREAM.MSG.GET.${ask.stream}`,
    body: { last_by_subj: ask.subject },
    missing: noMessageFound,
  });
  if (!answer) return undefined;
  return { sequence: answer.message.seq, body: Buffer.from(answer.message.data ?? "", "base64") };
}

async function readParts(connection: JetStreamConnection, ask: ReadAsk): Promise<{ readonly parts: Part[]; readonly isEnd: boolean }> {
  if (ask.current) return { parts: await readFromLeader(connection, ask), isEnd: false };
  const batch = Math.min(ask.max, limits.logReadMessagesMax);
  const question = {
    seq: ask.after + 1,
    next_by_subj: ask.subject,
    batch,
    // The server counts headers too, and stops after the message that reaches this
    max_bytes: Math.max(1, Math.min(ask.bytesMax, limits.logReadBytesMax) + batch * limits.logMessageStoredBytes),
  };
  const body = new TextEncoder().encode(JSON.stringify(question));
  let pending = 0;
  const answers = await connection.requestMany(`$JS.API.DIRECT.GET.${ask.stream}`, body, (answer) => {
    if (!isLast(answer)) return false;
    pending = Number(answer.headers?.get("Nats-Num-Pending"));
    return true;
  });
  return { parts: answers.map(partOf), isEnd: pending === 0 };
}

/** A message a question: the leader answers no batches. */
async function readFromLeader(connection: JetStreamConnection, ask: ReadAsk): Promise<Part[]> {
  const parts: Part[] = [];
  let bytes = 0;
  for (let seq = ask.after + 1; parts.length < ask.max && bytes <= ask.bytesMax;) {
    const answer = await askApi<{ message: { seq: number; data?: string; hdrs?: string } }>(connection, {
      subject: `STREAM.MSG.GET.${ask.stream}`,
      body: { seq, next_by_subj: ask.subject },
      missing: noMessageFound,
    });
    if (!answer) break;
    const { data = "", hdrs = "" } = answer.message;
    const body = Buffer.from(data, "base64");
    const [, part] = partLine.exec(Buffer.from(hdrs, "base64").toString()) ?? [];
    parts.push({ sequence: answer.message.seq, body, ...partFromHeader(part) });
    bytes += body.byteLength;
    seq = answer.message.seq + 1;
  }
  return parts;
}

/** 204 ends a batch, 404 says that there is nothing; anything else with a status is an error. */
export function isLast(answer: Msg): boolean {
  const status = answer.headers?.code ?? 0;
  if (status === 0) return false;
  if (status === endOfBatch || status === nothingFound) return true;
  throw new Error(`JetStream answered a direct read with ${status}, "${answer.headers?.description}"`);
}

function partOf(answer: Msg): Part {
  const part = partFromHeader(answer.headers?.get(partHeader));
  return { sequence: Number(answer.headers?.get("Nats-Sequence")), body: answer.data, ...part };
}

/** Of the header `partHeader`. */
const partLine = /^Heddle-Part: *(\d+\/\d+)/im;
const noMessageFound = 10037;
const endOfBatch = 204;
const nothingFound = 404;

interface ReadAsk {
  readonly stream: string;
  readonly subject: string;
  readonly after: number;
  readonly max: number;
  readonly bytesMax: number;
  readonly current?: boolean;
}

interface Part {
  readonly sequence: number;
  readonly body: Uint8Array;
  readonly index: number;
  readonly count: number;
}
