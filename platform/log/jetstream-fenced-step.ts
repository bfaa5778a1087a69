/** Fenced steps in a JetStream stream: an atomic batch that names the last sequence of its checkpoint's subject. */
import { systemClock } from "../clock.ts";
import { limits } from "../limits.ts";
import { Refusal } from "../refusal.ts";
import type { FencedSteps, Step, StepOutcome } from "./fenced-step.ts";
import { askApi, type ConnectOptions, type JetStreamConnection } from "./jetstream-connection.ts";
import { expectedHeader, publishTogether, WrongLastSequence } from "./jetstream-publish.ts";
import { lastMessage } from "./jetstream-read.ts";
import { connectToStream, partitionOf, roomOf, type StreamShape } from "./jetstream-stream.ts";
import { bodyBytesMaxOf } from "./message-size.ts";
import type { RecentRecords, Written } from "./recent-records.ts";

/**
 * Opens the stream as `openJetStreamLog` does; a log opened on it reads what steps write to its partitions.
 * Subjects come from `partitionSubject` and `checkpointSubject`.
 */
export async function openJetStreamSteps(
  options: StreamShape & ConnectOptions & { readonly recent?: RecentRecords },
): Promise<FencedSteps> {
  const connection = await connectToStream(options);
  const { name } = options;
  const hasRoom = streamRoom(connection, name);

  /** What was written is there for the reader of the same process. */
  async function noted(step: Step, publish: () => Promise<StepOutcome>): Promise<StepOutcome> {
    const partitions = step.messages.map(({ subject }) => partitionOf(name, subject));
    const sent = options.recent?.sending(partitions.filter((partition) => partition !== undefined));
    let written: readonly Written[] = [];
    try {
      const outcome = await publish();
      if (outcome.kind === "accepted") {
        written = step.messages.flatMap(({ body, part }, at) => {
          const [partition, sequence] = [partitions[at], outcome.sequences[at]];
          const whole = part === undefined ? body : undefined;
          return partition === undefined || sequence === undefined ? [] : [{ partition, sequence, body: whole }];
        });
      }
      return outcome;
    } finally {
      sent?.(written);
    }
  }

  return {
    get bodyBytesMax() {
      return bodyBytesMaxOf(connection.messageBytesMax);
    },
    async publishStep(step) {
      check(step);
      // A checkpoint alone may use the reserve: it lets what is behind it be trimmed
      if (step.messages.length > 1 && !await reach(() => hasRoom(bytesOf(step)))) throw new Refusal("LOG_FULL");
      return await noted(step, () => publishStep(connection, step));
    },
    checkpoint: (subject) => reach(() => lastMessage(connection, { stream: name, subject })),
    async trimCheckpoints(filter, before) {
      await reach(() => askApi(connection, { subject: `STREAM.PURGE.${name}`, body: { filter, seq: before } }));
    },
    close: () => connection.close(),
  };
}

async function publishStep(connection: JetStreamConnection, step: Step): Promise<StepOutcome> {
  const { messages, checkpointSubject, expectedLast } = step;
  const fence = { [expectedHeader]: String(expectedLast) };
  const fenced = messages.map((message) => message.subject === checkpointSubject ? { ...message, headers: fence } : message);
  try {
    const first = await publishTogether(connection, fenced);
    const sequences = messages.map((_, index) => first + index);
    return { kind: "accepted", sequence: first + messages.findIndex(({ subject }) => subject === checkpointSubject), sequences };
  } catch (error) {
    if (error instanceof WrongLastSequence) return { kind: "refused" };
    if (error instanceof Refusal && error.reason === "OUTCOME_UNKNOWN") return { kind: "unknown", cause: error };
    throw error;
  }
}

/** Whether so many bytes more leave the reserve free, by what the server said a moment ago and what was let in since: so that lanes always drain. */
function streamRoom(connection: JetStreamConnection, name: string): (bytes: number) => Promise<boolean> {
  let free = 0;
  let askedAt = -Infinity;
  async function look(): Promise<void> {
    askedAt = systemClock.monotonic();
    const room = await roomOf(connection, name);
    if (room === undefined) throw new Error(`There is no stream "${name}"`);
    free = room.bytesMax * (1 - limits.logReserveShare) - room.bytes;
  }
  return async (bytes) => {
    if (free < bytes || systemClock.monotonic() - askedAt > limits.logRoomLookMs) await look();
    if (free < bytes) return false;
    free -= bytes;
    return true;
  };
}

/** As the stream keeps it, about. */
function bytesOf({ messages }: Step): number {
  return messages.reduce((sum, { body }) => sum + body.byteLength + limits.logMessageStoredBytes, 0);
}

function check({ messages, checkpointSubject }: Step): void {
  const checkpoints = messages.filter(({ subject }) => subject === checkpointSubject).length;
  if (checkpoints !== 1) throw new RangeError(`Expected one message for "${checkpointSubject}", got ${checkpoints}`);
}

async function reach<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new Refusal("LOG_UNAVAILABLE", "The log cannot be reached", { cause: error });
  }
}
