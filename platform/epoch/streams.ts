/** The streams of an installation as its epochs see them: what they are called, what they say of themselves, and how they are made. */
import { createEventStream } from "../events/jetstream.ts";
import { laneLayout } from "../lane/layout.ts";
import { positionFromBytes } from "../lane/lane-positions.ts";
import { checkpointFromBytes } from "../lane/resolver-checkpoint.ts";
import type { JetStreamConnection } from "../log/jetstream-connection.ts";
import { lastMessage, tailOf } from "../log/jetstream-read.ts";
import { checkpointSubject, connectToStream, lookAtStream } from "../log/jetstream-stream.ts";
import type { Logger } from "../logger.ts";
import type { EventsConfig, StreamsConfig } from "../mesh-config.ts";
import type { Epoch, StreamKind } from "../log/epoch.ts";
import type { Found, FoundPosition } from "./judge.ts";

export type EpochService = "profile" | "subscription" | "messaging-status";

export function streamNamesOf(logName: string): Readonly<Record<StreamKind, string>> {
  return { intake: `${logName}_intake`, lanes: `${logName}_lanes`, events: `${logName}_events` };
}

export async function lookAtStreams(connection: JetStreamConnection, logName: string): Promise<Found["streams"]> {
  const names = streamNamesOf(logName);
  const [intake, lanes, events] = await Promise.all([
    lookAtStream(connection, names.intake),
    lookAtStream(connection, names.lanes),
    lookAtStream(connection, names.events),
  ]);
  return { intake, lanes, events };
}

/** What the streams keep of the work of a service whose watermarks stand beside its rows. */
export async function lookAtPositions(
  connection: JetStreamConnection,
  { logName, partitions, lanes }: Pick<StreamsConfig, "logName" | "partitions" | "lanes">,
  service: EpochService,
): Promise<FoundPosition[]> {
  const layout = laneLayout(partitions, lanes);
  const names = streamNamesOf(logName);
  const own = Array.from({ length: lanes }, (_, lane) => lane);
  async function position(watermark: string): Promise<FoundPosition> {
    const found = await lastMessage(connection, { stream: names.lanes, subject: checkpointSubject(names.lanes, watermark) });
    // A watermark is kept before the position, so that it may be further
    return { watermark, of: "lanes", at: undefined, rows: found === undefined ? 0 : positionFromBytes(found.body).rows };
  }
  switch (service) {
    case "subscription":
      return await Promise.all(own.map((lane) => position(`subscription-${layout.subscription(lane)}`)));
    case "messaging-status":
      return await Promise.all(own.map((lane) => position(`messaging-status-${layout.messagingStatus(lane)}`)));
    case "profile": {
      const orders = Array.from({ length: partitions }, (_, partition) => partition);
      const tails = orders.map((partition) => tailPositionOf(connection, names, partition));
      const checkpoints = orders.map((partition) => checkpointOf(connection, names, partition));
      return await Promise.all([...tails, ...checkpoints, ...own.map((lane) => position(`apply-${lane}`))]);
    }
  }
}

type Names = ReturnType<typeof streamNamesOf>;

async function tailPositionOf(connection: JetStreamConnection, { intake }: Names, partition: number): Promise<FoundPosition> {
  return { watermark: `intake-${partition}`, of: "intake", at: await tailOf(connection, intake, partition), rows: 0 };
}

async function checkpointOf(connection: JetStreamConnection, { lanes }: Names, partition: number): Promise<FoundPosition> {
  const watermark = `resolve-${partition}`;
  const found = await lastMessage(connection, { stream: lanes, subject: checkpointSubject(lanes, watermark) });
  const checkpoint = found && checkpointFromBytes(found.body);
  return { watermark, of: "lanes", at: found?.sequence ?? 0, rows: checkpoint?.noted === true ? checkpoint.written : 0 };
}

/** Makes those that are missing, for the epoch. */
export async function makeStreams(
  { streams, events, logger }: { readonly streams: StreamsConfig; readonly events: EventsConfig; readonly logger: Logger },
  { logId, number, from }: Epoch,
): Promise<void> {
  const { nats, logName, replicas, bytesMax, partitions } = streams;
  const names = streamNamesOf(logName);
  const stream = { ...nats, replicas, bytesMax, logger, logId, epoch: number };
  const orders = { intake: partitions, lanes: laneLayout(partitions, streams.lanes).partitions };
  for (const kind of ["intake", "lanes"] as const) {
    await (await connectToStream({ ...stream, name: names[kind], partitions: orders[kind], first: from[kind] })).close();
  }
  await createEventStream({ ...events, logger }, { logId, number, first: from.events });
}
