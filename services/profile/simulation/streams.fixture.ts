/** A log and its fenced steps as one list of messages in a simulated world, seen by each process through its own connection. */
import { Refusal } from "../../../platform/refusal.ts";
import type { FencedSteps, Step, StepMessage, StepOutcome } from "../../../platform/log/fenced-step.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
import { joinParts } from "../../../platform/log/message-size.ts";
import type { Process, World } from "./world.fixture.ts";

export interface Stream {
  /** What is there, by subject, in order. */
  messages(subject: string): readonly LogRecord[];
  last(subject: string): number;
  append(subject: string, body: Uint8Array): number;
  log(process: Process, partitions: number): Log;
  steps(process: Process): FencedSteps;
}

export function subjectOf(partition: number): string {
  return `lanes.${partition}`;
}

/** `isFenced` false: a log that takes any step, to see that it is noticed. */
export function createStream(world: World, isFenced = true): Stream {
  const kept = new Messages(world);
  return {
    messages: (subject) => kept.of(subject),
    last: (subject) => kept.last(subject),
    append: (subject, body) => kept.append(subject, body),
    log: (process, partitions) => logOf(world, kept, { process, partitions }),
    steps: (process) => stepsOf(world, { kept, isFenced }, process),
  };
}

class Messages {
  readonly watchers = new Map<(partition: number) => void, Process>();
  readonly #world: World;
  readonly #subjects = new Map<string, LogRecord[]>();
  readonly #lasts = new Map<string, number>();
  #sequence = 0;
  #open: readonly Uint8Array[] = [];

  constructor(world: World) {
    this.#world = world;
  }

  of(subject: string): readonly LogRecord[] {
    return this.#subjects.get(subject) ?? [];
  }

  last(subject: string): number {
    return this.#lasts.get(subject) ?? 0;
  }

  append(subject: string, body: Uint8Array): number {
    this.#sequence += 1;
    this.#subjects.set(subject, [...this.of(subject), { sequence: this.#sequence, body }]);
    this.#lasts.set(subject, this.#sequence);
    this.#notify(Number(subject.split(".")[1]));
    return this.#sequence;
  }

  /** A part of a record, which is there as a whole with its last one. */
  add({ subject, body, part: [index, count] = [0, 1] }: StepMessage): number {
    const open = index === 0 ? [] : this.#open;
    this.#open = [...open, body];
    if (index + 1 === count) return this.append(subject, joinParts(this.#open));
    this.#sequence += 1;
    return this.#sequence;
  }

  trim(subject: string, before: number): void {
    this.#subjects.set(subject, this.of(subject).filter((message) => message.sequence >= before));
  }

  /** Now and then less than there is, and what was delivered before comes again. */
  read(subject: string, after: number, { max, bytesMax }: { max: number; bytesMax: number }): LogRecord[] {
    const from = this.#world.faulty && this.#world.chance(0.1) ? after - this.#world.pick(5) : after;
    const records: LogRecord[] = [];
    let bytes = 0;
    for (const record of this.of(subject)) {
      if (record.sequence <= from || records.length >= max) continue;
      bytes += record.body.byteLength;
      if (records.length > 0 && bytes > bytesMax) break;
      records.push(record);
      if (this.#world.chance(0.3)) break;
    }
    return records;
  }

  #notify(partition: number): void {
    for (const [listener, process] of this.watchers) {
      if (this.#world.faulty && this.#world.chance(0.1)) continue;
      this.#world.later(() => {
        if (process.alive) listener(partition);
      });
    }
  }
}

function logOf(world: World, kept: Messages, { process, partitions }: { process: Process; partitions: number }): Log {
  return {
    partitions,
    append: (partition, body) =>
      world.call(process, {
        effect: () => kept.append(subjectOf(partition), body),
        refused: unavailable,
        lost: unknown,
        repeatable: false,
      }),
    tail: (partition) => world.call(process, { effect: () => kept.last(subjectOf(partition)), ...question }),
    read: (partition, after, options) =>
      world.call(process, { effect: () => kept.read(subjectOf(partition), after, options), ...question }),
    watch(listener) {
      kept.watchers.set(listener, process);
      return () => kept.watchers.delete(listener);
    },
    trim: (partition, through) => world.call(process, { effect: () => kept.trim(subjectOf(partition), through + 1), ...question }),
    close: () => Promise.resolve(),
  };
}

function stepsOf(world: World, { kept, isFenced }: { kept: Messages; isFenced: boolean }, process: Process): FencedSteps {
  const bodyBytesMax = 100_000;
  return {
    bodyBytesMax,
    publishStep: (step) =>
      world.call<StepOutcome>(process, {
        effect: () => publish(kept, isFenced ? step : { ...step, expectedLast: kept.last(step.checkpointSubject) }),
        refused: unavailable,
        lost: () => ({ kind: "unknown", cause: new Error("No answer") }),
        repeatable: false,
      }),
    checkpoint: (subject) => world.call(process, { effect: () => kept.of(subject).at(-1), ...question }),
    trimCheckpoints: (subject, before) => world.call(process, { effect: () => kept.trim(subject, before), ...question }),
    close: () => Promise.resolve(),
  };
}

function publish(kept: Messages, { messages, checkpointSubject, expectedLast }: Step): StepOutcome {
  if (kept.last(checkpointSubject) !== expectedLast) return { kind: "refused" };
  const sequences = messages.map((message) => kept.add(message));
  return { kind: "accepted", sequence: sequences[messages.findIndex(({ subject }) => subject === checkpointSubject)] ?? 0, sequences };
}

/** Nothing depends on whether it was heard. */
const question = { refused: unavailable, lost: unavailable, repeatable: false };

function unavailable(): never {
  throw new Refusal("LOG_UNAVAILABLE");
}

function unknown(): never {
  throw new Refusal("OUTCOME_UNKNOWN");
}
