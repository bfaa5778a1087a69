/** A log and its fenced steps in memory that take what nats-server takes, and say what they were given beyond it. */
import { limits } from "../../../platform/limits.ts";
import type { FencedSteps, StepMessage } from "../../../platform/log/fenced-step.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import { bodyBytesMaxOf, cutRecord, joinParts } from "../../../platform/log/message-size.ts";

export interface LimitedStream {
  readonly steps: FencedSteps;
  /** Nothing is ever trimmed, so that a test sees all of it. */
  readonly log: Log;
  readonly stream: MessageStream;
}

/** Subjects of partitions are `<name>.<partition>`. */
export function limitedStream(shape: { readonly name: string; readonly partitions: number }, maxPayload: number): LimitedStream {
  const stream = new MessageStream(shape.name, maxPayload);
  return { stream, steps: stepsOf(stream, maxPayload), log: logOf(stream, shape.partitions, maxPayload) };
}

class MessageStream {
  readonly name: string;
  readonly listeners = new Set<(partition: number) => void>();
  /** What no server would have taken. */
  readonly beyond: string[] = [];
  /** Of each batch that was taken, how many messages. */
  readonly batches: number[] = [];
  readonly #maxPayload: number;
  readonly #subjects = new Map<string, LogRecord[]>();
  readonly #open = new Map<string, Uint8Array[]>();
  #last = 0;

  constructor(name: string, maxPayload: number) {
    this.name = name;
    this.#maxPayload = maxPayload;
  }

  of(subject: string): readonly LogRecord[] {
    return this.#subjects.get(subject) ?? [];
  }

  publish(messages: readonly StepMessage[]): number[] {
    if (messages.length > limits.logBatchMessagesMax) this.beyond.push(`${messages.length} messages together`);
    for (const { subject, body } of messages) {
      if (body.byteLength + headersBytes > this.#maxPayload) this.beyond.push(`${body.byteLength} bytes for ${subject}`);
    }
    if (this.beyond.length > 0) throw new Error(`nats-server refuses: ${this.beyond.join("; ")}`);
    this.batches.push(messages.length);
    const sequences = messages.map((message) => this.#take(message));
    for (const listener of this.listeners) for (const { subject } of messages) listener(Number(subject.slice(this.name.length + 1)));
    return sequences;
  }

  #take({ subject, body, part: [index, count] = [0, 1] }: StepMessage): number {
    this.#last += 1;
    const parts = this.#open.get(subject) ?? [];
    if (parts.length !== index) this.beyond.push(`${subject}: part ${index} of ${count} after ${parts.length}`);
    if (index + 1 < count) {
      this.#open.set(subject, [...parts, body]);
      return this.#last;
    }
    this.#open.delete(subject);
    const records = this.#subjects.get(subject) ?? [];
    records.push({ sequence: this.#last, body: joinParts([...parts, body]) });
    this.#subjects.set(subject, records);
    return this.#last;
  }
}

function stepsOf(stream: MessageStream, maxPayload: number): FencedSteps {
  return {
    bodyBytesMax: bodyBytesMaxOf(maxPayload),
    publishStep: async ({ messages, checkpointSubject, expectedLast }) => {
      await Promise.resolve();
      if ((stream.of(checkpointSubject).at(-1)?.sequence ?? 0) !== expectedLast) return { kind: "refused" };
      const sequences = stream.publish(messages);
      return { kind: "accepted", sequence: sequences.at(-1) ?? 0, sequences };
    },
    checkpoint: (subject) => Promise.resolve(stream.of(subject).at(-1)),
    trimCheckpoints: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

function logOf(stream: MessageStream, partitions: number, maxPayload: number): Log {
  function subjectOf(partition: number): string {
    return `${stream.name}.${partition}`;
  }
  return {
    partitions,
    append: (partition, record) =>
      Promise.resolve().then(() => stream.publish(cutRecord(subjectOf(partition), record, bodyBytesMaxOf(maxPayload))).at(-1) ?? 0),
    tail: (partition) => Promise.resolve(stream.of(subjectOf(partition)).at(-1)?.sequence ?? 0),
    read: (partition, after, { max, bytesMax }) => {
      const records: LogRecord[] = [];
      let bytes = 0;
      for (const record of stream.of(subjectOf(partition))) {
        if (record.sequence <= after) continue;
        bytes += record.body.byteLength;
        if (records.length >= max || (records.length > 0 && bytes > bytesMax)) break;
        records.push(record);
      }
      return Promise.resolve(records);
    },
    watch(listener) {
      stream.listeners.add(listener);
      return () => stream.listeners.delete(listener);
    },
    trim: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}

/** Of a batch, a fence and a part, with room to spare. */
const headersBytes = 300;
