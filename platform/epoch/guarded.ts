/** Logs and fenced steps behind the guard: nothing is read or written before the guard lets it pass. */
import type { Clock } from "../clock.ts";
import { laneLayout } from "../lane/layout.ts";
import type { FencedSteps } from "../log/fenced-step.ts";
import { openJetStreamSteps } from "../log/jetstream-fenced-step.ts";
import { openJetStreamLog } from "../log/jetstream.ts";
import type { Log } from "../log/log.ts";
import type { RecentRecords } from "../log/recent-records.ts";
import type { Logger } from "../logger.ts";
import type { StreamsConfig } from "../mesh-config.ts";
import type { Opened } from "../open-all.ts";
import { Refusal } from "../refusal.ts";
import type { StreamKind } from "../log/epoch.ts";
import type { EpochGuard } from "./guard.ts";
import { streamNamesOf } from "./streams.ts";

export interface GuardedLogsOptions {
  readonly streams: StreamsConfig;
  readonly guard: EpochGuard;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What lanes and steps share of what was written; without it each has its own. */
  readonly recent?: RecentRecords;
}

/** The logs of an installation and the steps in its lanes. Refuses LOG_UNAVAILABLE where NATS or a stream is not there. */
export async function openGuardedLogs({ streams, guard, clock, logger, recent }: GuardedLogsOptions, opened: Opened) {
  const { nats, logName, replicas, bytesMax, partitions } = streams;
  const names = streamNamesOf(logName);
  const stream = { ...nats, replicas, bytesMax, make: false, clock, logger };
  const intake = guardedLog(await openJetStreamLog({ ...stream, name: names.intake, partitions }), guard, "intake");
  opened.push(() => intake.close());
  const layout = laneLayout(partitions, streams.lanes);
  const laneStream = { ...stream, name: names.lanes, partitions: layout.partitions, ...(recent && { recent }) };
  const lanes = guardedLog(await openJetStreamLog(laneStream), guard, "lanes");
  opened.push(() => lanes.close());
  const steps = guardedSteps(await openJetStreamSteps(laneStream), guard);
  opened.push(() => steps.close());
  return { intake, lanes, steps };
}

/**
 * `kind`: the stream that it lies in. What an append is given rises as long as the stream is the same one: where it does not,
 * NATS came back without it, and that is looked into before the caller gets the sequence.
 */
function guardedLog(log: Log, guard: EpochGuard, kind: StreamKind): Log {
  let last = guard.epoch.from[kind] - 1;
  return {
    partitions: log.partitions,
    begins: guard.epoch.from[kind],
    async append(partition, record, priority) {
      await guard.pass();
      const sequence = await log.append(partition, record, priority);
      if (sequence <= last) {
        await guard.look();
        throw new Refusal("OUTCOME_UNKNOWN", `The stream gave the sequence ${sequence} after ${last}`);
      }
      last = sequence;
      return sequence;
    },
    async tail(partition) {
      await guard.pass();
      return await log.tail(partition);
    },
    async read(partition, after, options) {
      await guard.pass();
      return await log.read(partition, after, options);
    },
    watch: (listener) => log.watch(listener),
    async trim(partition, through) {
      await guard.pass();
      await log.trim(partition, through);
    },
    close: () => log.close(),
  };
}

/** A checkpoint that is not there is either the first or lost with its stream: that is looked into. */
function guardedSteps(steps: FencedSteps, guard: EpochGuard): FencedSteps {
  return {
    get bodyBytesMax() {
      return steps.bodyBytesMax;
    },
    async publishStep(step) {
      await guard.pass();
      return await steps.publishStep(step);
    },
    async checkpoint(subject) {
      await guard.pass();
      const found = await steps.checkpoint(subject);
      if (found === undefined) await guard.look();
      return found;
    },
    async trimCheckpoints(subject, before) {
      await guard.pass();
      await steps.trimCheckpoints(subject, before);
    },
    close: () => steps.close(),
  };
}
