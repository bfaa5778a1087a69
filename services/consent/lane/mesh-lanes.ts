/** The lanes of a service that owns consent, as one of its processes works on them: logs, appliers shared out, and reads that wait. */
import { type GuardedLogsOptions, openGuardedLogs } from "../../../platform/epoch/guarded.ts";
import { streamNamesOf } from "../../../platform/epoch/streams.ts";
import type { Position } from "../../../platform/intake/position.ts";
import { limits } from "../../../platform/limits.ts";
import { newId } from "../../../platform/identifier.ts";
import type { FencedSteps } from "../../../platform/log/fenced-step.ts";
import { connectJetStream } from "../../../platform/log/jetstream-connection.ts";
import { checkpointSubject } from "../../../platform/log/jetstream-stream.ts";
import type { Log } from "../../../platform/log/log.ts";
import { packRecords } from "../../../platform/log/packed-records.ts";
import { partitionOf } from "../../../platform/log/partition.ts";
import { openAll, type Opened } from "../../../platform/open-all.ts";
import { type WatchedLags, watchLags } from "../../../platform/telemetry/lag-history.ts";
import { type BusQueries, openBusMembers, openBusNotices, openBusQueries } from "../../../platform/lane/bus.ts";
import { createGate } from "../../../platform/gate.ts";
import { openLaneApplied } from "./lane-applied.ts";
import { startLaneApplier } from "./lane-applier.ts";
import { laneTrimBytes } from "../../../platform/lane/lane-checkpoint.ts";
import { openLanesLag } from "./lanes-lag.ts";
import { createLanePositions } from "../../../platform/lane/lane-positions.ts";
import type { LaneBody } from "../engine/lane-message.ts";
import { type ConcernOf, laneKey, type WindowRoom } from "./lane-window.ts";
import { type LaneLayout, laneLayout } from "../../../platform/lane/layout.ts";
import { firstTrouble, type Members, type Ownership, ownWork } from "../../../platform/lane/ownership.ts";
import { createProgressPublisher, type ProgressNotices } from "../../../platform/lane/progress-notices.ts";
import type { Reading } from "../../../platform/lane/read-on.ts";

export interface MeshLanesOptions extends Omit<GuardedLogsOptions, "recent"> {
  readonly service: "subscription" | "messaging-status";
}

export interface MeshLanes {
  /** The workspaces' one order, to append to. */
  readonly intake: Log;
  readonly layout: LaneLayout;
  /**
   * True as soon as what was answered before the call is applied of what is read; false after `consentWaitMs` without it, or
   * later where `readAfter` has to be seen: after `positionWaitMsMax` and a last look of `laneLookMsMin` at most.
   */
  caughtUp(asked: CaughtUpQuery, reads: readonly LaneRead[]): Promise<boolean>;
  /** How far the lane of the service is behind that is furthest behind, now and before. */
  readonly work: Pick<WatchedLags, "lags" | "history">;
  /** Puts a record behind all others of a lane, as the layout numbers it. */
  append(lane: number, body: Uint8Array): Promise<void>;
  /** Takes this process's share of the lanes. */
  start(work: LaneApplyWork): void;
  /** Why something does not get on; undefined while all is well. */
  trouble(): string | undefined;
  /** Ends after the turns under way, and gives everything to the others. */
  close(): Promise<void>;
}

interface CaughtUpQuery {
  readonly workspaceId: string;
  readonly readAfter: Position | undefined;
  /** The end of the workspace's order as the profile service answered after the read arrived, so it is decided; absent: NATS is asked for it. */
  readonly end?: Position | undefined;
  /** How long the read has waited already, in milliseconds. */
  readonly waitedMs?: number;
}

/** What is read of a lane. */
export interface LaneRead {
  /** As the layout numbers them. */
  readonly lane: number;
  /** Users or addresses of the workspace. */
  readonly names: readonly string[] | "all";
}

interface LaneApplyWork {
  readonly concernOf: ConcernOf;
  /** `lane`: its name, as in `subscription-3`. */
  readonly apply: (bodies: readonly LaneBody[], lane: string) => Promise<void>;
}

/** Refuses LOG_UNAVAILABLE where NATS cannot be reached. */
export async function openMeshLanes(options: MeshLanesOptions): Promise<MeshLanes> {
  return await openAll((opened) => open(options, opened));
}

async function open(options: MeshLanesOptions, opened: Opened): Promise<Omit<MeshLanes, "close">> {
  const { service, streams: { nats, logName, partitions, lanes: lanesEach }, clock, logger } = options;
  const layout = laneLayout(partitions, lanesEach);
  const { intake, lanes, steps } = await openGuardedLogs(options, opened);
  const bus = await connectJetStream({ ...nats, logger });
  opened.push(() => bus.close());
  const notices = openBusNotices(bus, `${logName}-progress-${service}`, clock);
  const queries = openBusQueries(bus, `${logName}-asks-${service}`);
  const resolvers = openBusNotices(bus, `${logName}-progress`, clock);
  const applied = openLaneApplied({ lanes, layout, intakePartitions: partitions, notices, resolvers, queries, clock, logger });
  opened.push(() => applied.close());
  const lag = openLanesLag({ service, lanes: lanesOf(service, layout), heard: (lane) => applied.heard(lane) }, clock);
  const watched = watchLags([lag], clock);
  opened.push(() => watched.close());
  let ownership: Ownership | undefined;
  return {
    intake,
    layout,
    async caughtUp({ workspaceId, readAfter, end, waitedMs = 0 }, reads) {
      const partition = partitionOf(workspaceId, partitions);
      const waitedFor = reads.map(({ lane, names }) => ({ lane, keys: keysOf(workspaceId, names) }));
      const position = end ?? { partition, sequence: await intake.tail(partition) };
      if (end === undefined) applied.hurry(position);
      if (await applied.wait(position, waitedFor, Math.max(limits.laneLookMsMin, limits.consentWaitMs - waitedMs))) return true;
      if (readAfter === undefined) return false;
      // A client whose answer may be behind still sees its own write in it
      await applied.wait({ ...readAfter, partition }, waitedFor, limits.positionWaitMsMax - limits.consentWaitMs);
      return await applied.wait(position, waitedFor, limits.laneLookMsMin);
    },
    work: watched,
    append: async (lane, body) => void await lanes.append(lane, packRecords([body])),
    start(work) {
      const members = openBusMembers({ bus, subject: `${logName}-members-${service}`, clock });
      opened.push(() => members.close());
      ownership = shareOut(options, { lanes, steps, layout, notices, queries, members, work }, opened);
    },
    trouble() {
      if (!bus.up) return "NATS is away";
      const own = [...ownership?.owned ?? []].map(([work, reading]) => [nameOf(service, layout, Number(work)), reading] as const);
      return firstTrouble(new Map(own)) ?? applied.trouble();
    },
  };
}

interface Shared {
  readonly lanes: Log;
  readonly steps: FencedSteps;
  readonly layout: LaneLayout;
  readonly notices: ProgressNotices;
  readonly queries: BusQueries;
  readonly members: Members;
  readonly work: LaneApplyWork;
}

/** Takes this process's share of the service's lanes, however many other processes work on them. */
function shareOut(options: MeshLanesOptions, shared: Shared, opened: Opened): Ownership {
  const { lanes, steps, layout, notices, queries, members, work: { concernOf, apply } } = shared;
  const { service, streams, guard, clock, logger } = options;
  const positions = createLanePositions(steps, {
    nameOf: (lane) => `${service}-${lane}`,
    subjectOf: (name) => checkpointSubject(streamNamesOf(streams.logName).lanes, name),
    watermarks: guard.watermarks,
  });
  const publisher = createProgressPublisher({ notices, clock });
  opened.push(() => publisher.close());
  const gate = createGate(limits.lanesAppliedAtOnceMax);
  const room: WindowRoom = { users: 0, bytes: 0 };
  const own = lanesOf(service, layout);
  const owned = ownWork({
    id: newId("proc_", clock),
    members,
    clock,
    logger,
    work: own.map(String),
    start: (work) => {
      const lane = Number(work);
      const name = nameOf(service, layout, lane);
      const applying = startLaneApplier({
        lane,
        name,
        lanes,
        positions,
        trimBytes: laneTrimBytes({ bytesMax: streams.bytesMax, partitions: layout.partitions }),
        concernOf,
        apply: (bodies) => apply(bodies, name),
        gate,
        room,
        clock,
        logger,
        onApplied: (position) => publisher.applied(lane, position),
      });
      return servingQueries(applying, queries.serve(lane, applying.ask));
    },
  });
  opened.push(() => owned.close(), guard.onBack(owned.retry));
  return owned;
}

/** It answers until it ends. */
function servingQueries(applying: Reading, stop: () => void): Reading {
  return {
    ...applying,
    close() {
      stop();
      return applying.close();
    },
  };
}

function keysOf(workspaceId: string, names: LaneRead["names"]): readonly string[] | "all" {
  return names === "all" ? names : names.map((name) => laneKey(workspaceId, name));
}

/** All of the service, as the layout numbers them. */
function lanesOf(service: MeshLanesOptions["service"], layout: LaneLayout): number[] {
  const placeOf = service === "subscription" ? layout.subscription : layout.messagingStatus;
  return Array.from({ length: layout.lanes }, (_, lane) => placeOf(lane));
}

/** As checkpoints, metrics and logs name it: `subscription-3`. */
function nameOf(service: MeshLanesOptions["service"], layout: LaneLayout, lane: number): string {
  return `${service}-${lanesOf(service, layout).indexOf(lane)}`;
}
