/** The logs of a mesh as a backup sees them: where they end, whether everything in them is applied, and how they begin anew. */
import type { Clock } from "../clock.ts";
import { beginAbove, type Epoch } from "../log/epoch.ts";
import { lookAtStreams, makeStreams, streamNamesOf } from "./streams.ts";
import { newId } from "../identifier.ts";
import { connectJetStream } from "../log/jetstream-connection.ts";
import { openJetStreamSteps } from "../log/jetstream-fenced-step.ts";
import { checkpointSubject, lastSequenceOf, roomOf } from "../log/jetstream-stream.ts";
import { openJetStreamLog } from "../log/jetstream.ts";
import type { Logger } from "../logger.ts";
import type { EventsConfig, StreamsConfig } from "../mesh-config.ts";
import { createLanePositions } from "../lane/lane-positions.ts";
import { type LaneLayout, laneLayout } from "../lane/layout.ts";
import { checkpointFromBytes, firstCheckpoint } from "../lane/resolver-checkpoint.ts";

interface Deps {
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface LogsAtRest {
  /** The last sequence that any of the streams gave. */
  readonly through: number;
  /** Where every partition of intake and lanes ends: equal marks, and nothing was written between. */
  readonly mark: string;
  /** The same as numbers, and up to where each is applied, as far as was noted. */
  readonly ends: readonly number[];
  readonly applied: readonly number[];
  /** What is not applied, in words; empty where everything is. */
  readonly behind: readonly string[];
}

/** Looks at the streams; throws where there are none. What appliers themselves send on shows in the mark of a second look. */
export async function lookAtLogs(streams: StreamsConfig, deps: Deps): Promise<LogsAtRest> {
  const { nats, logName, partitions } = streams;
  const layout = laneLayout(partitions, streams.lanes);
  const names = streamNamesOf(logName);
  const room = await roomsOf(streams, deps);
  const stream = { ...nats, ...room.lanes, ...deps, make: false };
  const intake = await openJetStreamLog({ ...stream, ...room.intake, name: names.intake, partitions });
  const lanes = await openJetStreamLog({ ...stream, name: names.lanes, partitions: layout.partitions });
  const steps = await openJetStreamSteps({ ...stream, name: names.lanes, partitions: layout.partitions });
  try {
    const ends: number[] = [];
    const applied: number[] = [];
    const behind: string[] = [];
    for (let partition = 0; partition < partitions; partition += 1) {
      const checkpoint = await steps.checkpoint(checkpointSubject(names.lanes, `resolve-${partition}`));
      const place = checkpoint === undefined ? firstCheckpoint : checkpointFromBytes(checkpoint.body);
      const tail = await intake.tail(partition);
      ends.push(tail);
      applied.push(place.through);
      if (place.through < tail || place.inside !== undefined) behind.push(`intake ${partition}`);
    }
    for (const { service, lane } of allLanes(layout)) {
      const positions = createLanePositions(steps, {
        nameOf: (at) => `${service}-${at}`,
        subjectOf: (name) => checkpointSubject(names.lanes, name),
      });
      const tail = await lanes.tail(lane);
      const position = await positions.load(lane);
      ends.push(tail);
      applied.push(position);
      if (position < tail) behind.push(`${service} lane ${lane}`);
    }
    return { through: Math.max(...await lastSequences(streams, deps)), mark: ends.join(), ends, applied, behind };
  } finally {
    await Promise.all([intake.close(), lanes.close(), steps.close()]);
  }
}

/** As appliers name their positions: `apply` is the profile service. */
function allLanes(layout: LaneLayout): { readonly service: string; readonly lane: number }[] {
  const lanes = Array.from({ length: layout.lanes }, (_, lane) => lane);
  return [
    ...lanes.map((lane) => ({ service: "apply", lane: layout.profile(lane) })),
    ...lanes.map((lane) => ({ service: "subscription", lane: layout.subscription(lane) })),
    ...lanes.map((lane) => ({ service: "messaging-status", lane: layout.messagingStatus(lane) })),
  ];
}

/** Whether there are streams of this name, which a restore does not touch. */
export async function haveLogs(streams: StreamsConfig, deps: Deps): Promise<boolean> {
  return (await lastSequences(streams, deps)).length > 0;
}

/** A look changes nothing, and makes nothing. */
async function roomsOf({ nats, logName }: StreamsConfig, deps: Deps) {
  const connection = await connectJetStream({ ...nats, ...deps });
  try {
    const names = streamNamesOf(logName);
    const [intake, lanes] = [await roomOf(connection, names.intake), await roomOf(connection, names.lanes)];
    if (!intake || !lanes) {
      throw new Error(`There are no streams "${names.intake}" and "${names.lanes}": is this the right HEDDLE_LOG_NAME?`);
    }
    return { intake, lanes };
  } finally {
    await connection.close();
  }
}

async function lastSequences({ nats, logName }: StreamsConfig, deps: Deps): Promise<number[]> {
  const connection = await connectJetStream({ ...nats, ...deps });
  try {
    const { intake, lanes } = streamNamesOf(logName);
    const found = await Promise.all([intake, lanes].map((name) => lastSequenceOf(connection, name)));
    return found.filter((sequence) => sequence !== undefined);
  } finally {
    await connection.close();
  }
}

/**
 * Makes the streams so that all they will ever give lies above `through`: what is restored from below it is never newer
 * than what comes. Gives the epoch that they are of, also where an earlier run made them. Throws where the ages of writes have
 * no room for that.
 */
export async function beginLogsAbove(
  { streams, events }: { readonly streams: StreamsConfig; readonly events: EventsConfig },
  through: number,
  { clock, logger }: Deps,
): Promise<Epoch> {
  const connection = await connectJetStream({ ...streams.nats, logger });
  try {
    const before = await lookAtStreams(connection, streams.logName);
    const from = through === 0 ? 1 : beginAbove(through, clock.now());
    const number = through === 0 ? 0 : 1;
    const logId = before.intake?.logId ?? before.lanes?.logId ?? newId("log_", clock);
    await makeStreams({ streams, events, logger }, { logId, number, from: { intake: from, lanes: from, events: from } });
    const { intake, lanes, events: stream } = await lookAtStreams(connection, streams.logName);
    return { logId, number, from: { intake: intake?.first ?? from, lanes: lanes?.first ?? from, events: stream?.first ?? from } };
  } finally {
    await connection.close();
  }
}
