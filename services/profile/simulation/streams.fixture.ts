/** A log and its fenced steps as one list of messages in a simulated world, seen by each process through its own connection. */
import { Refusal } from "../../../platform/refusal.ts";
import type { FencedSteps, StepOutcome } from "../../../platform/log/fenced-step.ts";
import type { Log, LogRecord } from "../../../platform/log/log.ts";
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

export function createStream(world: World): Stream {
  const subjects = new Map<string, LogRecord[]>();
  const lasts = new Map<string, number>();
  const watchers = new Map<(partition: number) => void, Process>();
  let sequence = 0;

  function append(subject: string, body: Uint8Array): number {
    sequence += 1;
    const list = subjects.get(subject) ?? [];
    subjects.set(subject, list);
    list.push({ sequence, body });
    lasts.set(subject, sequence);
    const partition = Number(subject.split(".")[1]);
    for (const [listener, process] of watchers) {
      if (world.faulty && world.chance(0.1)) continue;
      world.later(() => {
        if (process.alive) listener(partition);
      });
    }
    return sequence;
  }

  function trim(subject: string, before: number): void {
    subjects.set(subject, (subjects.get(subject) ?? []).filter((message) => message.sequence >= before));
  }

  /** Now and then what was delivered before comes again. */
  function read(subject: string, after: number, { max, bytesMax }: { max: number; bytesMax: number }): LogRecord[] {
    const from = world.faulty && world.chance(0.1) ? after - world.pick(5) : after;
    const records: LogRecord[] = [];
    let bytes = 0;
    for (const record of subjects.get(subject) ?? []) {
      if (record.sequence <= from || records.length >= max) continue;
      bytes += record.body.byteLength;
      if (records.length > 0 && bytes > bytesMax) break;
      records.push(record);
      if (world.chance(0.3)) break;
    }
    return records;
  }

  return {
    messages: (subject) => subjects.get(subject) ?? [],
    last: (subject) => lasts.get(subject) ?? 0,
    append,
    log(process, partitions) {
      return {
        partitions,
        append: (partition, body) => world.call(process, { effect: () => append(subjectOf(partition), body), refused: unavailable, lost: unknown, repeatable: false }),
        tail: (partition) => world.call(process, { effect: () => lasts.get(subjectOf(partition)) ?? 0, refused: unavailable, lost: unavailable, repeatable: false }),
        read: (partition, after, options) => world.call(process, { effect: () => read(subjectOf(partition), after, options), refused: unavailable, lost: unavailable, repeatable: false }),
        watch(listener) {
          watchers.set(listener, process);
          return () => watchers.delete(listener);
        },
        trim: (partition, through) => world.call(process, { effect: () => trim(subjectOf(partition), through + 1), refused: unavailable, lost: unavailable, repeatable: false }),
        close: () => Promise.resolve(),
      };
    },
    steps(process) {
      return {
        publishStep: ({ messages, checkpointSubject, expectedLast }) => world.call<StepOutcome>(process, {
          effect() {
            if ((lasts.get(checkpointSubject) ?? 0) !== expectedLast) return { kind: "refused" };
            const sequences = messages.map(({ subject, body }) => append(subject, body));
            return { kind: "accepted", sequence: sequences[messages.findIndex(({ subject }) => subject === checkpointSubject)] ?? 0, sequences };
          },
          refused: unavailable,
          lost: () => ({ kind: "unknown", cause: new Error("No answer") }),
          repeatable: false,
        }),
        checkpoint: (subject) => world.call(process, { effect: () => subjects.get(subject)?.at(-1), refused: unavailable, lost: unavailable, repeatable: false }),
        trimCheckpoints: (subject, before) => world.call(process, { effect: () => trim(subject, before), refused: unavailable, lost: unavailable, repeatable: false }),
        close: () => Promise.resolve(),
      };
    },
  };
}

function unavailable(): never {
  throw new Refusal("LOG_UNAVAILABLE");
}

function unknown(): never {
  throw new Refusal("OUTCOME_UNKNOWN");
}
