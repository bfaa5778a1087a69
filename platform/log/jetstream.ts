/** The log in a JetStream stream, shared by many processes: a partition is a subject, appends that wait are written together. */
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../clock.ts";
import type { Logger } from "../logger.ts";
import { Refusal } from "../refusal.ts";
import { askApi, type ConnectOptions, type JetStreamConnection } from "./jetstream-connection.ts";
import { openRecordNotices, type RecordNotices } from "./jetstream-notices.ts";
import { expectedHeader, isBatchCheaper, publishTogether, WrongLastSequence } from "./jetstream-publish.ts";
import { firstOfRecordAt, lastMessage, readRecords, tailOf } from "./jetstream-read.ts";
import { connectToStream, partitionSubject, type StreamShape, trimmedSubject } from "./jetstream-stream.ts";
import type { Log, LogRecord } from "./log.ts";
import { checkPartition } from "./partition.ts";
import { bodyBytesMaxOf, cutRecord, type PartMessage } from "./message-size.ts";
import { singleFlight } from "../single-flight.ts";
import { RecentRecords } from "./recent-records.ts";
import { type Append, type GroupCommit, openGroupCommit } from "./group-commit.ts";

export type JetStreamLogOptions = StreamShape & ConnectOptions & {
  readonly clock: Clock;
  /** Shared with the steps of the same stream in this process, so that what they write is not read back. */
  readonly recent?: RecentRecords;
};

/**
 * Opens the log in the stream `name` and makes that the first time. Refuses LOG_UNAVAILABLE while no server answers, and
 * throws where the stream is unfit (`streamProblems`). Records are as durable as the server's `sync_interval` makes them:
 * it must be `always`.
 * A record handed over must not change; it may be larger than the server's limit on a message.
 * `append` refuses as the port says, and OVERLOADED (certainly not written) where too much waits. While no server
 * answers, everything is refused at once with LOG_UNAVAILABLE, and goes on by itself when one does.
 */
export async function openJetStreamLog(options: JetStreamLogOptions): Promise<Log> {
  return new JetStreamLog(options, await connectToStream(options));
}

interface CutAppend extends Append {
  readonly messages: readonly PartMessage[];
}

class JetStreamLog implements Log {
  readonly partitions: number;
  readonly #name: string;
  readonly #replicas: number;
  readonly #logger: Logger;
  readonly #connection: JetStreamConnection;
  readonly #line: GroupCommit;
  readonly #notices: RecordNotices;
  readonly #recent: RecentRecords;
  readonly #askTail = singleFlight((partition: number) => tailOf(this.#connection, this.#name, partition));
  /** The highest sequence of each partition that this process knows to be there. */
  readonly #seen: number[];
  #trimming: Promise<unknown> = Promise.resolve();

  constructor(options: JetStreamLogOptions, connection: JetStreamConnection) {
    this.partitions = options.partitions;
    this.#name = options.name;
    this.#replicas = options.replicas;
    this.#logger = options.logger;
    this.#connection = connection;
    this.#line = openGroupCommit(options.clock, () => this.#flush());
    this.#seen = Array.from({ length: options.partitions }, () => 0);
    this.#recent = options.recent ?? new RecentRecords(options.clock);
    this.#notices = openRecordNotices({ ...options, connection, recent: this.#recent });
  }

  append(partition: number, record: Uint8Array, priority: "normal" | "low" = "normal"): Promise<number> {
    checkPartition(partition, this.partitions);
    return this.#line.append(partition, record, priority);
  }

  async tail(partition: number): Promise<number> {
    checkPartition(partition, this.partitions);
    const tail = await this.#reach(() => this.#askTail(partition));
    this.#see(partition, tail);
    return tail;
  }

  async read(partition: number, after: number, options: { max: number; bytesMax: number; current?: boolean }): Promise<LogRecord[]> {
    checkPartition(partition, this.partitions);
    if (!options.current) {
      if (this.#notices.isEnd(partition, after)) return [];
      const recent = this.#recent.read(partition, after, options);
      if (recent !== undefined) return recent;
    }
    const subject = partitionSubject(this.#name, partition);
    const asked = { stream: this.#name, subject, after, ...options };
    const { records, isEnd } = await this.#reach(() => readRecords(this.#connection, asked));
    const last = records.at(-1)?.sequence ?? 0;
    this.#see(partition, last);
    if (isEnd) this.#notices.foundEnd(partition, Math.max(after, last));
    return records;
  }

  watch(listener: (partition: number) => void): () => void {
    return this.#notices.watch(listener);
  }

  async trim(partition: number, through: number): Promise<void> {
    checkPartition(partition, this.partitions);
    if (through < (this.#seen[partition] ?? 0)) return await this.#reach(() => this.#trimSome(partition, through));
    // What this process appends from now on is above the tail, and is kept
    const asked = this.#tailToTrim(partition);
    this.#trimming = asked.catch(() => {});
    const { tail, noted } = await asked;
    const end = Math.min(through, tail);
    if (end <= 0) return;
    await this.#reach(() => end === tail ? this.#trimAll(partition, { tail, noted }) : this.#trimSome(partition, end));
  }

  /** With the place of the last note of a tail: what another process does meanwhile comes behind that. */
  async #tailToTrim(partition: number): Promise<{ readonly tail: number; readonly noted: number }> {
    const note = { stream: this.#name, subject: trimmedSubject(this.#name, partition) };
    const last = await this.#reach(() => lastMessage(this.#connection, note));
    return { tail: await this.tail(partition), noted: last?.sequence ?? 0 };
  }

  async close(): Promise<void> {
    await this.#line.close();
    this.#notices.end();
    await this.#connection.close();
  }

  /** One write after the other, so that a partition's order is that of the calls; what arrives meanwhile is the next. */
  async #flush(): Promise<void> {
    // Callers that the last write woke may append again before the next one closes
    await setImmediate();
    await this.#trimming;
    await this.#write(this.#line.take());
  }

  /** As one batch, taken or refused whole, or each by itself; in their order, and answered in that order, in both cases. */
  async #write(appends: readonly Append[]): Promise<void> {
    const bytesMax = bodyBytesMaxOf(this.#connection.messageBytesMax);
    const cut = appends.map((append) => ({
      ...append,
      messages: cutRecord(partitionSubject(this.#name, append.partition), append.record, bytesMax),
    }));
    // A record of several messages is a batch in any case
    const isBatch = isBatchCheaper(cut.length, this.#replicas) || cut.some(({ messages }) => messages.length > 1);
    const batches = isBatch ? [cut] : cut.map((append) => [append]);
    const unanswered = await Promise.all(batches.map((batch) => this.#writeBatch(batch)));
    const cause = unanswered.find((error) => error !== undefined);
    if (cause !== undefined) this.#refuseWaiting(cause);
  }

  /** Resolves with why it is not known whether they were written; undefined where it is known. */
  async #writeBatch(batch: readonly CutAppend[]): Promise<Refusal | undefined> {
    const sent = this.#recent.sending(batch.map(({ partition }) => partition));
    let sequence: number;
    try {
      sequence = await publishTogether(this.#connection, batch.flatMap(({ messages }) => messages)) - 1;
    } catch (error) {
      sent([]);
      for (const append of batch) append.reject(error);
      return error instanceof Refusal && error.reason === "OUTCOME_UNKNOWN" ? error : undefined;
    }
    const written = batch.map(({ partition, record, messages, resolve }) => {
      sequence += messages.length;
      resolve(sequence);
      this.#see(partition, sequence);
      return { partition, sequence, body: messages.length === 1 ? record : undefined };
    });
    sent(written);
    return undefined;
  }

  /** Where what was sent got no answer, what is behind it would wait as long for its own; it certainly was not sent. */
  #refuseWaiting(cause: Refusal): void {
    this.#logger.error("log_outcome_unknown", cause, { stream: this.#name });
    while (this.#line.waiting() > 0) {
      for (const append of this.#line.take()) append.reject(new Refusal("LOG_UNAVAILABLE", undefined, { cause }));
    }
  }

  /**
   * The tail is that of the last record; where that goes too, it is written down before, unless another process has written one since the
   * one at `noted`: its tail may be further.
   */
  async #trimAll(partition: number, { tail, noted }: { readonly tail: number; readonly noted: number }): Promise<void> {
    const subject = trimmedSubject(this.#name, partition);
    const note = { subject, body: new TextEncoder().encode(String(tail)), headers: { [expectedHeader]: String(noted) } };
    let mark: number;
    try {
      mark = await publishTogether(this.#connection, [note]);
    } catch (error) {
      if (error instanceof WrongLastSequence) return;
      // A full stream takes no note either: its last record says the tail until there is room
      if (error instanceof Refusal && error.reason === "LOG_FULL") return await this.#trimSome(partition, tail - 1);
      throw error;
    }
    await this.#purge(partitionSubject(this.#name, partition), tail + 1);
    await this.#purge(subject, mark);
  }

  /** A record of several messages stays as long as its last one does. */
  async #trimSome(partition: number, end: number): Promise<void> {
    const subject = partitionSubject(this.#name, partition);
    const next = await firstOfRecordAt(this.#connection, { stream: this.#name, subject, from: end + 1 });
    await this.#purge(subject, Math.min(end + 1, next ?? end + 1));
  }

  #see(partition: number, sequence: number): void {
    this.#seen[partition] = Math.max(this.#seen[partition] ?? 0, sequence);
  }

  async #purge(filter: string, before: number): Promise<void> {
    await askApi(this.#connection, { subject: `STREAM.PURGE.${this.#name}`, body: { filter, seq: before } });
  }

  async #reach<T>(ask: () => Promise<T>): Promise<T> {
    if (this.#line.closed) throw new Refusal("LOG_UNAVAILABLE", "The log is closed");
    try {
      return await ask();
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal("LOG_UNAVAILABLE", "The log cannot be reached", { cause: error });
    }
  }
}
